"""Calculates with matrices of floats: products, a decomposition that solves equations, a determinant, an eigenvalue."""
import math
import sys
from collections import namedtuple


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __mul__(self, other):
        columns = other.transpose().rows
        return Matrix([[dot(row, column) for column in columns] for row in self.rows])

    def __add__(self, other):
        return Matrix([[x + y for x, y in zip(a, b)] for a, b in zip(self.rows, other.rows)])

    def transpose(self):
        return Matrix([[row[j] for row in self.rows] for j in range(len(self.rows[0]))])

    def apply(self, vector):
        return [dot(row, vector) for row in self.rows]

    def trace(self):
        total = 0.0
        for i in range(len(self)):
            total += self.rows[i][i]
        return total


def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def random_matrix(n, random):
    return Matrix([[(random.below(2000) - 1000) / 1000 for _ in range(n)] for _ in range(n)])


def identity(n):
    return Matrix([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])


Decomposition = namedtuple("Decomposition", "rows order sign")


def decompose(matrix):
    """Lower and upper triangle in one matrix, with the rows in the order of their pivots."""
    rows = [row[:] for row in matrix.rows]
    n = len(rows)
    order = list(range(n))
    sign = 1
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(rows[i][k]) > abs(rows[pivot][k]):
                pivot = i
        if rows[pivot][k] == 0.0:
            raise ValueError("the matrix is singular")
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            order[k], order[pivot] = order[pivot], order[k]
            sign = -sign
        top = rows[k]
        for i in range(k + 1, n):
            row = rows[i]
            factor = row[k] / top[k]
            row[k] = factor
            for j in range(k + 1, n):
                row[j] -= factor * top[j]
    return Decomposition(rows, order, sign)


def solve(parts, right):
    n = len(right)
    x = [right[i] for i in parts.order]
    for i in range(n):
        row = parts.rows[i]
        for j in range(i):
            x[i] -= row[j] * x[j]
    for i in reversed(range(n)):
        row = parts.rows[i]
        for j in range(i + 1, n):
            x[i] -= row[j] * x[j]
        x[i] /= row[i]
    return x


def determinant(parts):
    product = float(parts.sign)
    for i in range(len(parts.rows)):
        product *= parts.rows[i][i]
    return product


def norm(vector):
    return math.sqrt(dot(vector, vector))


def largest_eigenvalue(matrix, rounds):
    vector = [1.0 / i for i in range(1, len(matrix) + 1)]
    length = 0.0
    for _ in range(rounds):
        vector = matrix.apply(vector)
        length = norm(vector)
        vector = [x / length for x in vector]
    return length


def main():
    n = int(sys.argv[1])
    random = Random(23)
    a = random_matrix(n, random)
    b = random_matrix(n, random)
    product = a * b
    print(f"trace {product.trace():.6f} and {(product + a).trace():.6f}")
    parts = decompose(a)
    print(f"determinant {determinant(parts):.6e}")
    right = [i / n for i in range(n)]
    x = solve(parts, right)
    rest = max(abs(y - should) for y, should in zip(a.apply(x), right))
    print(f"x = {x[0]:.6f} … {x[-1]:.6f}, {'exact' if rest < 0.000001 else 'inexact'}")
    inverse = Matrix([solve(parts, row) for row in identity(n).rows]).transpose()
    print(f"inverse: trace {inverse.trace():.6f}, of the product {(a * inverse).trace():.6f}")
    print(f"eigenvalue {largest_eigenvalue(a * a.transpose(), 30):.6f}")
    try:
        decompose(Matrix([[1.0, 2.0], [2.0, 4.0]]))
    except ValueError as error:
        print(error)


main()
