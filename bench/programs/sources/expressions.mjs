/** Random expressions as trees of objects: differentiates and simplifies them, and evaluates them for many variables. */
const MODULUS = 1_000_003;
const NAMES = ['x', 'y', 'z'];

const num = (value) => ({ kind: 'num', value });
const variable = (name) => ({ kind: 'var', name });
const neg = (of) => ({ kind: 'neg', of });
const add = (left, right) => ({ kind: 'add', left, right });
const mul = (left, right) => ({ kind: 'mul', left, right });
const choice = (test, yes, no) => ({ kind: 'if', test, yes, no });

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }
}

function leaf(random) {
  return random.below(2) === 0 ? num(random.below(4)) : variable(NAMES[random.below(3)]);
}

function grow(random, depth) {
  if (depth === 0) return leaf(random);
  const kind = random.below(10);
  if (kind === 0) return leaf(random);
  if (kind === 1) return neg(grow(random, depth - 1));
  if (kind <= 5) return add(grow(random, depth - 1), grow(random, depth - 1));
  if (kind <= 8) return mul(grow(random, depth - 1), grow(random, depth - 1));
  return choice(leaf(random), grow(random, depth - 1), grow(random, depth - 1));
}

function derive(expr, name) {
  switch (expr.kind) {
    case 'num':
      return num(0);
    case 'var':
      return num(expr.name === name ? 1 : 0);
    case 'neg':
      return neg(derive(expr.of, name));
    case 'add':
      return add(derive(expr.left, name), derive(expr.right, name));
    case 'mul':
      return add(mul(derive(expr.left, name), expr.right), mul(expr.left, derive(expr.right, name)));
    case 'if':
      return choice(expr.test, derive(expr.yes, name), derive(expr.no, name));
  }
}

function equal(a, b) {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'num':
      return a.value === b.value;
    case 'var':
      return a.name === b.name;
    case 'neg':
      return equal(a.of, b.of);
    case 'if':
      return equal(a.test, b.test) && equal(a.yes, b.yes) && equal(a.no, b.no);
    default:
      return equal(a.left, b.left) && equal(a.right, b.right);
  }
}

function simplify(expr) {
  switch (expr.kind) {
    case 'neg':
      return negated(simplify(expr.of));
    case 'add':
      return added(simplify(expr.left), simplify(expr.right));
    case 'mul':
      return multiplied(simplify(expr.left), simplify(expr.right));
    case 'if':
      return chosen(simplify(expr.test), simplify(expr.yes), simplify(expr.no));
    default:
      return expr;
  }
}

function negated(expr) {
  if (expr.kind === 'num') return num(-expr.value);
  return expr.kind === 'neg' ? expr.of : neg(expr);
}

const isNum = (expr, value) => expr.kind === 'num' && expr.value === value;

function added(left, right) {
  if (left.kind === 'num' && right.kind === 'num') return num(left.value + right.value);
  if (isNum(left, 0)) return right;
  if (isNum(right, 0)) return left;
  if (left.kind === 'num') return add(right, left);
  return equal(left, right) ? mul(num(2), left) : add(left, right);
}

function multiplied(left, right) {
  if (left.kind === 'num' && right.kind === 'num') return num(left.value * right.value);
  if (isNum(left, 0) || isNum(right, 0)) return num(0);
  if (isNum(left, 1)) return right;
  if (isNum(right, 1)) return left;
  return right.kind === 'num' ? mul(right, left) : mul(left, right);
}

function chosen(test, yes, no) {
  if (test.kind === 'num') return test.value > 0 ? yes : no;
  return equal(yes, no) ? yes : choice(test, yes, no);
}

/** The remainder with the sign of the modulus. */
function reduce(n) {
  const rest = n % MODULUS;
  return rest < 0 ? rest + MODULUS : rest;
}

function evaluate(expr, variables) {
  switch (expr.kind) {
    case 'num':
      return reduce(expr.value);
    case 'var':
      return variables[expr.name];
    case 'neg':
      return reduce(-evaluate(expr.of, variables));
    case 'add':
      return reduce(evaluate(expr.left, variables) + evaluate(expr.right, variables));
    case 'mul':
      return reduce(evaluate(expr.left, variables) * evaluate(expr.right, variables));
    case 'if':
      return evaluate(evaluate(expr.test, variables) > 0 ? expr.yes : expr.no, variables);
  }
}

function size(expr) {
  switch (expr.kind) {
    case 'neg':
      return 1 + size(expr.of);
    case 'add':
    case 'mul':
      return 1 + size(expr.left) + size(expr.right);
    case 'if':
      return 1 + size(expr.test) + size(expr.yes) + size(expr.no);
    default:
      return 1;
  }
}

function show(expr) {
  switch (expr.kind) {
    case 'num':
      // Negative zero is written like zero.
      return String(expr.value);
    case 'var':
      return expr.name;
    case 'neg':
      return `-${show(expr.of)}`;
    case 'add':
      return `(${show(expr.left)} + ${show(expr.right)})`;
    case 'mul':
      return `${show(expr.left)} * ${show(expr.right)}`;
    case 'if':
      return `(${show(expr.test)} ? ${show(expr.yes)} : ${show(expr.no)})`;
  }
}

const count = Number(process.argv[2]);
const random = new Random(42);
let grown = 0;
let kept = 0;
let total = 0;
let shortest = null;
for (let i = 0; i < count; i++) {
  const expr = grow(random, 7);
  const simple = simplify(derive(expr, 'x'));
  grown += size(expr);
  kept += size(simple);
  for (let x = 1; x <= 8; x++) {
    const variables = { x, y: x * 7, z: x * 31 + 5 };
    total = (total * 31 + evaluate(expr, variables) + evaluate(simple, variables)) % MODULUS;
  }
  const text = show(simple);
  if (text.length > 20 && (shortest === null || text.length < shortest.length)) shortest = text;
}
console.log(`${count} expressions, ${grown} nodes, derivatives ${kept}`);
console.log(total);
console.log(shortest);
