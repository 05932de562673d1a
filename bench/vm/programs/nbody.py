from math import sqrt


class Body:
    __slots__ = ("x", "y", "z", "vx", "vy", "vz", "mass")

    def __init__(self, *values):
        self.x, self.y, self.z, self.vx, self.vy, self.vz, self.mass = values


def pull(a, b, dt):
    dx = a.x - b.x
    dy = a.y - b.y
    dz = a.z - b.z
    squared = dx * dx + dy * dy + dz * dz
    force = dt / (squared * sqrt(squared))
    a.vx -= dx * b.mass * force
    a.vy -= dy * b.mass * force
    a.vz -= dz * b.mass * force
    b.vx += dx * a.mass * force
    b.vy += dy * a.mass * force
    b.vz += dz * a.mass * force


def advance(bodies, dt):
    for i in range(len(bodies)):
        for j in range(i + 1, len(bodies)):
            pull(bodies[i], bodies[j], dt)
    for body in bodies:
        body.x += dt * body.vx
        body.y += dt * body.vy
        body.z += dt * body.vz


def run():
    bodies = [
        Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47),
        Body(4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037),
        Body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
        Body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
        Body(15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002),
    ]
    for _ in range(2000):
        advance(bodies, 0.01)
    return bodies[0].x
