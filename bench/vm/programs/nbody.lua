local sqrt = math.sqrt

local function body(x, y, z, vx, vy, vz, mass)
  return { x = x, y = y, z = z, vx = vx, vy = vy, vz = vz, mass = mass }
end

local function pull(a, b, dt)
  local dx = a.x - b.x
  local dy = a.y - b.y
  local dz = a.z - b.z
  local squared = dx * dx + dy * dy + dz * dz
  local force = dt / (squared * sqrt(squared))
  a.vx = a.vx - dx * b.mass * force
  a.vy = a.vy - dy * b.mass * force
  a.vz = a.vz - dz * b.mass * force
  b.vx = b.vx + dx * a.mass * force
  b.vy = b.vy + dy * a.mass * force
  b.vz = b.vz + dz * a.mass * force
end

local function advance(bodies, dt)
  for i = 1, #bodies do
    for j = i + 1, #bodies do pull(bodies[i], bodies[j], dt) end
  end
  for _, b in ipairs(bodies) do
    b.x = b.x + dt * b.vx
    b.y = b.y + dt * b.vy
    b.z = b.z + dt * b.vz
  end
end

return function()
  local bodies = {
    body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47),
    body(4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037),
    body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
    body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
    body(15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002),
  }
  for _ = 1, 2000 do advance(bodies, 0.01) end
  return bodies[1].x
end
