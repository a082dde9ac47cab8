"""
A dictionary of strokes
=======================

Sparse coding of handwritten digits: each digit is a sum of a few strokes. The regulariser makes the strokes differ.
"""

# %%
# ``DictionaryLearner`` learns 40 strokes, and codes that are never negative.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from wideangle.evaluation import angle_summary, knn_accuracy
from wideangle.models import DictionaryLearner

images, labels = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(
    images / 16, labels, test_size=0.4, random_state=0
)

print(
    f"{'λ':>5} {'smallest angle':>15} {'strokes per digit':>18} {'held-out error':>15} {'3-NN':>6}"
)
models = {}
for diversity in (0, 0.1, 1):
    model = DictionaryLearner(
        40, alpha=0.02, diversity=diversity, positive_code=True, random_state=0
    ).fit(X)
    codes, known = model.transform(X_test), model.transform(X)
    models[diversity] = model
    print(f"{diversity:5} {angle_summary(model.components_).smallest:14.1f}° {(codes > 0).sum(1).mean():18.1f} "
          f"{model.reconstruction_error(X_test):15.4f} {knn_accuracy(codes, y_test, known, y, k=3):6.3f}")  # fmt: skip
print(f"the pixels themselves: 3-NN {knn_accuracy(X_test, y_test, X, y, k=3):.3f}")

# %%
# The angles grow with λ. That is no gain in itself: neighbours by codes are no better
# than by pixels, and the largest λ rebuilds held-out digits worse.
#
# The strokes without the regulariser and with most of it: dark pixels are added, red
# ones taken away.

figure, panels = plt.subplots(1, 2, figsize=(7.6, 4.8))
for axes, diversity in zip(panels, (0, 1), strict=True):
    strokes = models[diversity].components_
    strokes = strokes / abs(strokes).max(axis=1, keepdims=True)
    for number, stroke in enumerate(strokes):
        i, j = divmod(number, 6)
        axes.imshow(
            stroke.reshape(8, 8),
            cmap="RdGy",
            vmin=-1,
            vmax=1,
            extent=(9 * j, 9 * j + 8, -9 * i - 8, -9 * i),
        )
    axes.set(xlim=(0, 53), ylim=(-62, 0), title=f"λ = {diversity}")
    axes.axis("off")
plt.show()

# %%
# One held-out digit and the strokes that it is made of.

model, digit = models[1], X_test[3]
(code,) = model.transform(digit[None])
used = np.argsort(-code)[:5]
(rebuilt,) = model.inverse_transform(code[None])
shown = {
    "digit": digit,
    "rebuilt": rebuilt,
    **{f"{code[i]:.2f} ×": model.components_[i] for i in used},
}
figure, panels = plt.subplots(1, len(shown), figsize=(8.4, 1.6))
for axes, (name, picture) in zip(panels, shown.items(), strict=True):
    largest = abs(picture).max()
    axes.imshow(picture.reshape(8, 8), cmap="RdGy", vmin=-largest, vmax=largest)
    axes.set_title(name, fontsize=9)
    axes.axis("off")
plt.show()
