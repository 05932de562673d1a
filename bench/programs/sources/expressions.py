"""Random expressions as trees of objects: differentiates and simplifies them, and evaluates them for many variables."""
import sys
from dataclasses import dataclass
from typing import Any

MODULUS = 1_000_003
NAMES = ["x", "y", "z"]


@dataclass(slots=True)
class Num:
    value: int


@dataclass(slots=True)
class Var:
    name: str


@dataclass(slots=True)
class Neg:
    of: Any


@dataclass(slots=True)
class Add:
    left: Any
    right: Any


@dataclass(slots=True)
class Mul:
    left: Any
    right: Any


@dataclass(slots=True)
class If:
    test: Any
    yes: Any
    no: Any


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


def leaf(random):
    return Num(random.below(4)) if random.below(2) == 0 else Var(NAMES[random.below(3)])


def grow(random, depth):
    if depth == 0:
        return leaf(random)
    kind = random.below(10)
    if kind == 0:
        return leaf(random)
    if kind == 1:
        return Neg(grow(random, depth - 1))
    if kind <= 5:
        return Add(grow(random, depth - 1), grow(random, depth - 1))
    if kind <= 8:
        return Mul(grow(random, depth - 1), grow(random, depth - 1))
    return If(leaf(random), grow(random, depth - 1), grow(random, depth - 1))


def derive(expr, name):
    match expr:
        case Num():
            return Num(0)
        case Var(other):
            return Num(1 if other == name else 0)
        case Neg(of):
            return Neg(derive(of, name))
        case Add(left, right):
            return Add(derive(left, name), derive(right, name))
        case Mul(left, right):
            return Add(Mul(derive(left, name), right), Mul(left, derive(right, name)))
        case If(test, yes, no):
            return If(test, derive(yes, name), derive(no, name))


def simplify(expr):
    match expr:
        case Num() | Var():
            return expr
        case Neg(of):
            return negated(simplify(of))
        case Add(left, right):
            return added(simplify(left), simplify(right))
        case Mul(left, right):
            return multiplied(simplify(left), simplify(right))
        case If(test, yes, no):
            return chosen(simplify(test), simplify(yes), simplify(no))


def negated(expr):
    match expr:
        case Num(value):
            return Num(-value)
        case Neg(of):
            return of
        case _:
            return Neg(expr)


def added(left, right):
    match left, right:
        case Num(a), Num(b):
            return Num(a + b)
        case (Num(0), other) | (other, Num(0)):
            return other
        case Num(), _:
            return Add(right, left)
        case _:
            return Mul(Num(2), left) if left == right else Add(left, right)


def multiplied(left, right):
    match left, right:
        case Num(a), Num(b):
            return Num(a * b)
        case (Num(0), _) | (_, Num(0)):
            return Num(0)
        case (Num(1), other) | (other, Num(1)):
            return other
        case _, Num():
            return Mul(right, left)
        case _:
            return Mul(left, right)


def chosen(test, yes, no):
    match test:
        case Num(value):
            return yes if value > 0 else no
        case _:
            return yes if yes == no else If(test, yes, no)


def evaluate(expr, variables):
    match expr:
        case Num(value):
            return value % MODULUS
        case Var(name):
            return variables[name]
        case Neg(of):
            return -evaluate(of, variables) % MODULUS
        case Add(left, right):
            return (evaluate(left, variables) + evaluate(right, variables)) % MODULUS
        case Mul(left, right):
            return evaluate(left, variables) * evaluate(right, variables) % MODULUS
        case If(test, yes, no):
            return evaluate(yes if evaluate(test, variables) > 0 else no, variables)


def size(expr):
    match expr:
        case Num() | Var():
            return 1
        case Neg(of):
            return 1 + size(of)
        case Add(left, right) | Mul(left, right):
            return 1 + size(left) + size(right)
        case If(test, yes, no):
            return 1 + size(test) + size(yes) + size(no)


def show(expr):
    match expr:
        case Num(value):
            return str(value)
        case Var(name):
            return name
        case Neg(of):
            return f"-{show(of)}"
        case Add(left, right):
            return f"({show(left)} + {show(right)})"
        case Mul(left, right):
            return f"{show(left)} * {show(right)}"
        case If(test, yes, no):
            return f"({show(test)} ? {show(yes)} : {show(no)})"


def main():
    count = int(sys.argv[1])
    random = Random(42)
    grown = kept = total = 0
    shortest = None
    for _ in range(count):
        expr = grow(random, 7)
        simple = simplify(derive(expr, "x"))
        grown += size(expr)
        kept += size(simple)
        for x in range(1, 9):
            variables = {"x": x, "y": x * 7, "z": x * 31 + 5}
            total = (total * 31 + evaluate(expr, variables) + evaluate(simple, variables)) % MODULUS
        text = show(simple)
        if len(text) > 20 and (shortest is None or len(text) < len(shortest)):
            shortest = text
    print(f"{count} expressions, {grown} nodes, derivatives {kept}")
    print(total)
    print(shortest)


main()
