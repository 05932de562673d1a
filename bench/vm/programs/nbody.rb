module Program
  Body = Struct.new(:x, :y, :z, :vx, :vy, :vz, :mass)

  module_function

  def pull(a, b, dt)
    dx = a.x - b.x
    dy = a.y - b.y
    dz = a.z - b.z
    squared = dx * dx + dy * dy + dz * dz
    force = dt / (squared * Math.sqrt(squared))
    a.vx -= dx * b.mass * force
    a.vy -= dy * b.mass * force
    a.vz -= dz * b.mass * force
    b.vx += dx * a.mass * force
    b.vy += dy * a.mass * force
    b.vz += dz * a.mass * force
  end

  def advance(bodies, dt)
    bodies.each_with_index do |body, i|
      (i + 1...bodies.length).each { |j| pull(body, bodies[j], dt) }
    end
    bodies.each do |body|
      body.x += dt * body.vx
      body.y += dt * body.vy
      body.z += dt * body.vz
    end
  end

  def run
    bodies = [
      Body.new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47),
      Body.new(4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037),
      Body.new(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
      Body.new(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
      Body.new(15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002)
    ]
    2000.times { advance(bodies, 0.01) }
    bodies[0].x
  end
end
