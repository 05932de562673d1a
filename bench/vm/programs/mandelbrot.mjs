function mandelbrot(width, height, limit) {
  let total = 0;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x0 = (column / width) * 3.5 - 2.5;
      const y0 = (row / height) * 2 - 1;
      let x = 0;
      let y = 0;
      let i = 0;
      while (i < limit && x * x + y * y <= 4) {
        const t = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = t;
        i++;
      }
      total += i;
    }
  }
  return total;
}

export function run() {
  return mandelbrot(120, 80, 200);
}
