local function build(count)
  local lines = {}
  for i = 0, count - 1 do
    lines[#lines + 1] = "item " .. i .. ": " .. i * 7 % 1000 .. " of " .. i % 13
  end
  return table.concat(lines, "\n")
end

local function digest(text)
  local out = {}
  for line in text:gmatch("[^\n]+") do
    local name = line:match("^[^:]*")
    if name:sub(-1) == "7" then
      out[#out + 1] = name:upper():gsub("ITEM", "no.") .. ";"
    elseif line:find("999", 1, true) then
      out[#out + 1] = line:sub(6, 10):reverse() .. ","
    end
  end
  return table.concat(out)
end

return function()
  local out = digest(build(20000))
  return #out .. " " .. out:sub(1, 21) .. " " .. out:sub(-20)
end
