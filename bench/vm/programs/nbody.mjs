class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    Object.assign(this, { x, y, z, vx, vy, vz, mass });
  }
}

function pull(a, b, dt) {
  const dx = a.x - b.x;
  const dy = a.y - b.y;
  const dz = a.z - b.z;
  const squared = dx * dx + dy * dy + dz * dz;
  const force = dt / (squared * Math.sqrt(squared));
  a.vx -= dx * b.mass * force;
  a.vy -= dy * b.mass * force;
  a.vz -= dz * b.mass * force;
  b.vx += dx * a.mass * force;
  b.vy += dy * a.mass * force;
  b.vz += dz * a.mass * force;
}

function advance(bodies, dt) {
  for (let i = 0; i < bodies.length; i++) {
    for (let j = i + 1; j < bodies.length; j++) pull(bodies[i], bodies[j], dt);
  }
  for (const body of bodies) {
    body.x += dt * body.vx;
    body.y += dt * body.vy;
    body.z += dt * body.vz;
  }
}

export function run() {
  const bodies = [
    new Body(0, 0, 0, 0, 0, 0, 39.47),
    new Body(4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037),
    new Body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
    new Body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
    new Body(15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002),
  ];
  for (let step = 0; step < 2000; step++) advance(bodies, 0.01);
  return bodies[0].x;
}
