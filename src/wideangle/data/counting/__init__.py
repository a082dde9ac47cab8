"""Words of texts to counts. `WordCounter` is the door.

The usual patterns of words are found without regular expressions. Characters become numbers (`letters`, `streams`),
runs of letters become keys of 64 bits (`words`, `numbering`), and these become terms (`terms`) that are counted
(`tally`), by NumPy and for many documents at once. Other patterns are counted by scikit-learn. The counts are the same.
"""
