local encode

local function encode_string(value)
  local escaped = value:gsub('[%c"\\]', function(char) return string.format("\\u%04x", char:byte()) end)
  return '"' .. escaped .. '"'
end

local function encode_array(values)
  local parts = {}
  for i, value in ipairs(values) do parts[i] = encode(value) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function encode_object(fields)
  local parts = {}
  for key, value in pairs(fields) do parts[#parts + 1] = encode_string(key) .. ":" .. encode(value) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value)
  if type(value) == "string" then return encode_string(value) end
  if type(value) ~= "table" then return tostring(value) end
  if value[1] ~= nil then return encode_array(value) end
  return encode_object(value)
end

local function show_user(id, name)
  local tags = {}
  for i = 0, 2 do tags[#tags + 1] = name .. "-" .. i end
  local user = { id = id, name = name, greeting = "Hello, " .. name .. "!", tags = tags, ok = true }
  if user.id % 2 == 0 then user.ok = false end
  return encode(user)
end

return function()
  local bytes = 0
  for id = 0, 19999 do bytes = bytes + #show_user(id, "alice") end
  return bytes
end
