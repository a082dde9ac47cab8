"""What the work of several commands needs: files that they read, models, and how they tell of both."""
