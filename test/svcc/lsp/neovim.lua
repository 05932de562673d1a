-- Runs every request of the language server from Neovim, as an editor does, and prints the answers as a line of JSON.
-- `vim.env` holds SVC_NODE, SVC_BUNDLE and SVC_FOLDER.

local answers = {}
local folder = vim.env.SVC_FOLDER
local file = folder .. '/routes/notes.svc'

vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({
  name = 'svc',
  cmd = { vim.env.SVC_NODE, vim.env.SVC_BUNDLE, 'lsp' },
  root_dir = folder,
  workspace_folders = { { uri = vim.uri_from_fname(folder), name = 'project' } },
})
local client = vim.lsp.get_client_by_id(id)
assert(vim.wait(60000, function() return client.initialized end, 20), 'the server starts')
vim.lsp.buf_attach_client(buffer, id)

local function place(part, skip)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = line:find(part, 1, true)
    if at then return { line = number - 1, character = at - 1 + (skip or 0) } end
  end
  error('no ' .. part)
end

local document = { uri = vim.uri_from_bufnr(buffer) }
local function ask(name, params)
  local result, problem = vim.lsp.buf_request_sync(buffer, name, params, 60000)
  if not result or not result[id] then error(name .. ': ' .. tostring(problem)) end
  answers[name] = result[id].error and { error = result[id].error.message } or result[id].result or vim.NIL
  return result[id].result
end
local function at(part, skip) return { textDocument = document, position = place(part, skip) } end

ask('textDocument/hover', at('search(store', 2))
ask('textDocument/definition', at('search(store', 2))
local references = at('search(store', 2)
references.context = { includeDeclaration = true }
ask('textDocument/references', references)
ask('textDocument/documentHighlight', at('note = '))
ask('textDocument/documentSymbol', { textDocument = document })
ask('workspace/symbol', { query = 'GET /' })
ask('textDocument/foldingRange', { textDocument = document })
ask('textDocument/semanticTokens/full', { textDocument = document })
ask('textDocument/inlayHint', { textDocument = document, range = { start = { line = 0, character = 0 }, ['end'] = { line = 90, character = 0 } } })
ask('textDocument/prepareRename', at('search(store', 2))

-- What an editor does with the answers: text that is inserted, a rename over files, a fix.
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { 'store = Store({}, {})', 'store.' })
ask('textDocument/completion', { textDocument = document, position = { line = 20, character = 6 } })
vim.api.nvim_buf_set_lines(buffer, -2, -1, false, { 'search(store, ' })
ask('textDocument/signatureHelp', { textDocument = document, position = { line = 20, character = 14 } })
vim.api.nvim_buf_set_lines(buffer, -2, -1, false, { 'putz store' })
local function found_name() return vim.tbl_contains(vim.tbl_map(function(found) return found.message:find('putz') ~= nil end, vim.diagnostic.get(buffer)), true) end
assert(vim.wait(60000, found_name, 20), 'diagnostics come')
answers['diagnostics'] = vim.tbl_map(function(found) return { found.lnum, found.message } end, vim.diagnostic.get(buffer))
local actions = ask('textDocument/codeAction', {
  textDocument = document,
  range = { start = { line = 20, character = 1 }, ['end'] = { line = 20, character = 1 } },
  context = { diagnostics = {} },
})
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
answers['fixed'] = vim.api.nvim_buf_get_lines(buffer, 20, 21, false)
local edit = ask('textDocument/rename', vim.tbl_extend('force', at('search(store', 2), { newName = 'find_notes' }))
vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
answers['renamed'] = {}
for _, other in ipairs(vim.api.nvim_list_bufs()) do
  local name = vim.api.nvim_buf_get_name(other)
  if name ~= '' then
    local text = table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n')
    local _, count = text:gsub('find_notes', '')
    answers['renamed'][name:sub(#folder + 2)] = count
  end
end
if client.server_capabilities.documentFormattingProvider then
  ask('textDocument/formatting', { textDocument = document, options = { tabSize = 2, insertSpaces = true } })
end

io.stdout:write('\n' .. vim.json.encode(answers) .. '\n')
client.stop()
vim.cmd('qall!')
