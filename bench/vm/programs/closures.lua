-- Lua's library has no map, filter or reduce: pipelines take functions like those of lambdas.lua.
return require("lambdas")
