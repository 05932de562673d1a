-- Starts `svcc lsp` for programs of Svc. The colours and the indentation are those of editors/vim.
local M = {}

local MARKERS = { 'package.json', 'stitches', '.git' }

local defaults = {
  -- The command of the server. Nil: svcc of the project's node_modules, else the one in PATH.
  cmd = nil,
  -- Called with the client and the buffer, as for other servers.
  on_attach = nil,
  capabilities = nil,
}

--- The folder of a project: the nearest one around a file that holds one of the markers, else that of the file.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  local at = folder
  while true do
    for _, marker in ipairs(MARKERS) do
      if vim.loop.fs_stat(at .. '/' .. marker) then
        return at
      end
    end
    local parent = vim.fn.fnamemodify(at, ':h')
    if parent == at then
      return folder
    end
    at = parent
  end
end

local function command_in(root)
  local own = root .. '/node_modules/.bin/svcc'
  local svcc = vim.fn.executable(own) == 1 and own or 'svcc'
  if vim.fn.executable(svcc) == 0 then
    return nil
  end
  return { svcc, 'lsp' }
end

-- Clients by root, for versions without vim.lsp.start.
local clients = {}
local warned = false

local function start(config, buffer)
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local id = clients[config.root_dir]
  if not id or vim.lsp.client_is_stopped(id) then
    id = vim.lsp.start_client(config)
    clients[config.root_dir] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
  return id
end

--- Starts the server for a buffer, or attaches the one that serves its project.
function M.start(buffer, options)
  options = vim.tbl_extend('force', defaults, options or {})
  local name = vim.api.nvim_buf_get_name(buffer)
  -- Buffers of plugins, such as fugitive://, are no files.
  if name == '' or name:match('^%a[%w+.-]+://') then
    return
  end
  local root = root_of(name)
  local cmd = options.cmd or command_in(root)
  if not cmd then
    if not warned then
      vim.notify('svc: svcc is neither in node_modules nor in PATH: no language server', vim.log.levels.WARN)
      warned = true
    end
    return
  end
  return start({
    name = 'svc',
    cmd = cmd,
    root_dir = root,
    capabilities = options.capabilities or vim.lsp.protocol.make_client_capabilities(),
    on_attach = options.on_attach,
  }, buffer)
end

--- Starts the server whenever a program is opened.
function M.setup(options)
  local group = vim.api.nvim_create_augroup('svc_lsp', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = 'svc',
    callback = function(event)
      M.start(event.buf, options)
    end,
  })
end

return M
