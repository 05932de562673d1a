/** Calculates with matrices: products, a decomposition that solves equations, a determinant, the largest eigenvalue. */
class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }
}

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));

class Matrix {
  constructor(rows) {
    this.rows = rows;
  }

  get size() {
    return this.rows.length;
  }

  times(other) {
    const columns = other.transpose().rows;
    return new Matrix(this.rows.map((row) => columns.map((column) => dot(row, column))));
  }

  plus(other) {
    return new Matrix(this.rows.map((row, i) => row.map((x, j) => x + other.rows[i][j])));
  }

  transpose() {
    return new Matrix(this.rows[0].map((_, j) => this.rows.map((row) => row[j])));
  }

  apply(vector) {
    return this.rows.map((row) => dot(row, vector));
  }

  trace() {
    return this.rows.reduce((sum, row, i) => sum + row[i], 0);
  }
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function randomMatrix(n, random) {
  return new Matrix(range(n, () => range(n, () => (random.below(2000) - 1000) / 1000)));
}

function identity(n) {
  return new Matrix(range(n, (i) => range(n, (j) => (i === j ? 1 : 0))));
}

/** Lower and upper triangle in one matrix, with the rows in the order of their pivots. */
function decompose(matrix) {
  const rows = matrix.rows.map((row) => [...row]);
  const n = rows.length;
  const order = range(n, (i) => i);
  let sign = 1;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) {
      if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    }
    if (rows[pivot][k] === 0) throw new RangeError('the matrix is singular');
    if (pivot !== k) {
      [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
      [order[k], order[pivot]] = [order[pivot], order[k]];
      sign = -sign;
    }
    const top = rows[k];
    for (let i = k + 1; i < n; i++) {
      const row = rows[i];
      const factor = row[k] / top[k];
      row[k] = factor;
      for (let j = k + 1; j < n; j++) row[j] -= factor * top[j];
    }
  }
  return { rows, order, sign };
}

function solve(parts, right) {
  const n = right.length;
  const x = parts.order.map((i) => right[i]);
  for (let i = 0; i < n; i++) {
    const row = parts.rows[i];
    for (let j = 0; j < i; j++) x[i] -= row[j] * x[j];
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = parts.rows[i];
    for (let j = i + 1; j < n; j++) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
  return x;
}

function determinant(parts) {
  return parts.rows.reduce((product, row, i) => product * row[i], parts.sign);
}

function norm(vector) {
  return Math.sqrt(dot(vector, vector));
}

function largestEigenvalue(matrix, rounds) {
  let vector = range(matrix.size, (i) => 1 / (i + 1));
  let length = 0;
  for (let round = 0; round < rounds; round++) {
    vector = matrix.apply(vector);
    length = norm(vector);
    vector = vector.map((x) => x / length);
  }
  return length;
}

/** With an exponent of at least two digits, as other languages print it. */
function scientific(x) {
  return x.toExponential(6).replace(/e([+-])(\d)$/, 'e$10$2');
}

const n = Number(process.argv[2]);
const random = new Random(23);
const a = randomMatrix(n, random);
const b = randomMatrix(n, random);
const product = a.times(b);
console.log(`trace ${product.trace().toFixed(6)} and ${product.plus(a).trace().toFixed(6)}`);
const parts = decompose(a);
console.log(`determinant ${scientific(determinant(parts))}`);
const right = range(n, (i) => i / n);
const x = solve(parts, right);
const rest = Math.max(...a.apply(x).map((y, i) => Math.abs(y - right[i])));
console.log(`x = ${x[0].toFixed(6)} … ${x.at(-1).toFixed(6)}, ${rest < 0.000001 ? 'exact' : 'inexact'}`);
const inverse = new Matrix(identity(n).rows.map((row) => solve(parts, row))).transpose();
console.log(`inverse: trace ${inverse.trace().toFixed(6)}, of the product ${a.times(inverse).trace().toFixed(6)}`);
console.log(`eigenvalue ${largestEigenvalue(a.times(a.transpose()), 30).toFixed(6)}`);
try {
  decompose(
    new Matrix([
      [1, 2],
      [2, 4],
    ]),
  );
} catch (error) {
  console.log(error.message);
}
