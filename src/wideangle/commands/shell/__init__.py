"""What a shell expects of a program: results and notes on streams of their own, exit codes, errors in one line."""
