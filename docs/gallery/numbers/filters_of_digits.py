"""
Filters of a Bernoulli machine
==============================

What the units of a restricted Boltzmann machine see in handwritten digits, with the regulariser and without.
"""

# %%
# Pixels are from 0 to 1. Each machine has 40 units and starts at random.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from wideangle.evaluation import angle_summary, knn_accuracy
from wideangle.models import BernoulliRBM

images, labels = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(
    images / 16, labels, test_size=0.4, random_state=0
)
models = {
    diversity: BernoulliRBM(
        40, diversity=diversity, metric="identity", max_updates=1500, random_state=0
    ).fit(X)
    for diversity in (0, 0.3, 3)
}

# %%
# Angles of the components, the accuracy of 3 nearest neighbours among held-out digits,
# and the mean log p of a held-out pixel. All pixels of the raw digits give the accuracy
# of the last line.

print(
    f"{'λ':>4} {'smallest angle':>15} {'mean angle':>11} {'3-NN':>7} {'log p per pixel':>16}"
)
for diversity, model in models.items():
    angles = angle_summary(model.components_)
    accuracy = knn_accuracy(model.transform(X_test), y_test, model.transform(X), y, k=3)
    print(
        f"{diversity:4} {angles.smallest:14.1f}° {angles.mean:10.1f}° {accuracy:7.3f} {model.score(X_test):16.3f}"
    )
print(f"raw digits: {knn_accuracy(X_test, y_test, X, y, k=3):.3f}")

# %%
# What is better depends on what is asked. The largest λ gives the best neighbours of the
# three, and the worst likelihood. The raw digits have better neighbours than all of
# them.
#
# Each small square is a component as a picture: blue pixels make its unit more likely,
# red ones less.

figure, panels = plt.subplots(1, 3, figsize=(8.4, 4.0))
for axes, (diversity, model) in zip(panels, models.items(), strict=True):
    squares = model.components_ / abs(model.components_).max(axis=1, keepdims=True)
    sheet = squares.reshape(8, 5, 8, 8)
    sheet = [[sheet[i, j] for j in range(5)] for i in range(8)]
    axes.set_title(f"λ = {diversity}")
    axes.axis("off")
    for i, row in enumerate(sheet):
        for j, square in enumerate(row):
            axes.imshow(
                square,
                cmap="RdBu",
                vmin=-1,
                vmax=1,
                extent=(9 * j, 9 * j + 8, -9 * i - 8, -9 * i),
            )
    axes.set(xlim=(0, 44), ylim=(-71, 0))
plt.show()

# %%
# Without the regulariser several units see the same stroke. With it the filters share
# little, and look like noise to us.
