-- Measures one Lua program (argument: its path) when asked, like worker.ts.
local folder, name = arg[1]:match("^(.-)([^/\\]*)%.lua$")
package.path = folder .. "?.lua"
local run = require(name)

-- Lua's only fine clock is that of the processor, whatever BENCH_CLOCK says. The programs never wait and have one thread:
-- on a machine that is not busy both clocks say the same.
local clock = os.clock

-- Numbers as the others print them: integers without a point, others with the fewest digits that give the same number.
local function text(value)
  if type(value) ~= "number" then return tostring(value) end
  if value == math.floor(value) then return string.format("%.0f", value) end
  for digits = 15, 16 do
    local short = string.format("%." .. digits .. "g", value)
    if tonumber(short) == value then return short end
  end
  return string.format("%.17g", value)
end

local function quoted(value)
  local escaped = value:gsub('[%c"\\]', function(char) return string.format("\\u%04x", char:byte()) end)
  return '"' .. escaped .. '"'
end

for request in io.lines() do
  local least = tonumber(request:match('"minMs"%s*:%s*([%d.]+)'))
  local runs = 0
  local start = clock()
  local result, elapsed
  repeat
    result = run()
    runs = runs + 1
    elapsed = (clock() - start) * 1000
  until elapsed >= least
  io.write(string.format('{"ms":%.6f,"result":%s}\n', elapsed / runs, quoted(text(result))))
  io.flush()
end
