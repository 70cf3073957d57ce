-- Who wrote which line: asks `entire blame --serve`, whose protocol docs/editors.md of Entire describes.
--
-- One program runs for each worktree. A shown buffer has the list of its lines' owners as the program told it; what
-- is drawn are signs and virtual text in a namespace of its own.

local M = {}
local api = vim.api
local namespace = api.nvim_create_namespace("entire")

local servers = {} -- by the worktree's top
local shown = {} -- by buffer

vim.cmd([[
  highlight default link EntireAgent Special
  highlight default link EntireUnknown WarningMsg
  highlight default link EntirePerson Comment
  highlight default link EntireText Comment
]])

local function complain(text)
  vim.notify("entire: " .. text, vim.log.levels.ERROR)
end

-- The program of a worktree ----------------------------------------------------------------------

local function send(server, method, params, answered)
  server.last = server.last + 1
  server.waiting[server.last] = answered or function() end
  pcall(vim.fn.chansend, server.job, vim.json.encode({ id = server.last, method = method, params = params }) .. "\n")
end

local function refresh_all(server)
  for buffer, view in pairs(shown) do
    if view.server == server then
      M.refresh(buffer)
    end
  end
end

local function notice(server, message)
  if message.notice == "prompts" then
    for number, prompt in pairs(message.prompts) do
      if server.owners[number] then
        server.owners[number].prompt = prompt
      end
    end
    for _, view in pairs(shown) do
      if view.server == server then
        view:draw()
      end
    end
  elseif message.notice == "changed" and message.path then
    for buffer, view in pairs(shown) do
      if view.server == server and view.path == message.path then
        M.refresh(buffer)
      end
    end
  elseif message.notice == "changed" then
    refresh_all(server)
  end
end

local function receive(server, line)
  local ok, message = pcall(vim.json.decode, line)
  if not ok or type(message) ~= "table" then
    return
  end
  if message.notice then
    return notice(server, message)
  end
  local answered = server.waiting[message.id]
  if not answered then
    return
  end
  server.waiting[message.id] = nil
  local result = message.result
  if type(result) == "table" and type(result.owners) == "table" then
    for number, owner in pairs(result.owners) do
      server.owners[number] = owner
    end
  end
  answered(result, message.error)
end

local function start(top)
  local server = { top = top, last = 0, waiting = {}, owners = {}, rest = "" }
  local command = vim.g.entire_command or "entire"
  local ok, job = pcall(vim.fn.jobstart, { command, "blame", "--serve" }, {
    cwd = top,
    on_stdout = function(_, pieces)
      pieces[1] = server.rest .. pieces[1]
      server.rest = table.remove(pieces)
      for _, line in ipairs(pieces) do
        receive(server, line)
      end
    end,
    on_exit = function()
      servers[top] = nil
      for buffer, view in pairs(shown) do
        if view.server == server then
          M.hide(buffer)
        end
      end
    end,
  })
  if not ok or job <= 0 then
    complain("cannot start " .. command .. "; set g:entire_command")
    return nil
  end
  server.job = job
  servers[top] = server
  send(server, "hello", { version = 1 }, function(_, failure)
    if failure then
      complain(failure.message)
      vim.fn.jobstop(job)
    end
  end)
  return server
end

local function server_for(file)
  local mark = vim.fn.finddir(".git", vim.fn.fnamemodify(file, ":h") .. ";")
  if mark == "" then
    mark = vim.fn.findfile(".git", vim.fn.fnamemodify(file, ":h") .. ";")
  end
  if mark == "" then
    complain("not in a git repository: " .. file)
    return nil
  end
  local top = vim.loop.fs_realpath((vim.fn.fnamemodify(mark, ":p"):gsub("/+$", ""):gsub("/?%.git$", "")))
  return servers[top] or start(top)
end

-- A shown buffer -----------------------------------------------------------------------------------

local View = {}
View.__index = View

local function splice(list, from, removed, added)
  if removed == added then
    for i = from, from + added - 1 do
      list[i] = false
    end
    return list
  end
  local out = {}
  for i = 1, from - 1 do
    out[i] = list[i]
  end
  for i = from, from + added - 1 do
    out[i] = false
  end
  for i = from + removed, #list do
    out[#out + 1] = list[i]
  end
  return out
end

-- learn takes an answer; change is what an edit replaced.
function View:learn(result, change)
  if result.all then
    self.lines = {}
    for i = 1, result.lines do
      self.lines[i] = false
    end
  elseif change then
    self.lines = splice(self.lines, change.from, change.to - change.from, #change.lines)
  end
  local first, last = change and change.from or 1, change and change.from + #change.lines or result.lines
  for _, run in ipairs(result.runs) do
    for i = run[1], run[1] + run[2] - 1 do
      self.lines[i] = tostring(run[3])
    end
    first, last = math.min(first, run[1]), math.max(last, run[1] + run[2])
  end
  self.waiting = self.waiting - 1
  if self.waiting > 0 then -- the buffer is ahead: draw all when it is not
    self.stale = true
  elseif self.stale then
    self:draw()
  else
    self:draw(first, last)
  end
end

local groups = { agent = "EntireAgent", unknown = "EntireUnknown", human = "EntirePerson" }
local marks = { agent = "▎", unknown = "?", human = "" }

-- text returns what stands beside the first line of an owner.
local function text(owner)
  local words = owner.who
  if owner.prompt and owner.prompt ~= "" then
    words = words .. ": " .. owner.prompt
  elseif owner.class == "unknown" then
    words = words .. " (" .. owner.reason .. ")"
  end
  return words
end

-- draw draws the lines first to last, or all.
function View:draw(first, last)
  if not api.nvim_buf_is_loaded(self.buffer) or #self.lines ~= self:count() then
    return
  end
  self.stale = false
  first, last = math.max(first or 1, 1), math.min(last or #self.lines, #self.lines)
  api.nvim_buf_clear_namespace(self.buffer, namespace, first - 1, last)
  for i = first, last do
    local owner = self.lines[i] and self.server.owners[self.lines[i]]
    if owner then
      local mark = { priority = 5 }
      if marks[owner.class] ~= "" then
        mark.sign_text, mark.sign_hl_group = marks[owner.class], groups[owner.class]
      end
      if self.lines[i] ~= self.lines[i - 1] then
        mark.virt_text, mark.virt_text_pos = { { "  " .. text(owner), "EntireText" } }, "eol"
      end
      api.nvim_buf_set_extmark(self.buffer, namespace, i - 1, 0, mark)
    end
  end
end

-- count returns the number of lines; an empty buffer has none, and for Neovim one.
function View:count()
  local n = api.nvim_buf_line_count(self.buffer)
  if n == 1 and api.nvim_buf_get_lines(self.buffer, 0, 1, false)[1] == "" and #self.lines == 0 then
    return 0
  end
  return n
end

local function ask(view, method, params, change)
  view.waiting = view.waiting + 1
  params.path = view.path
  send(view.server, method, params, function(result, failure)
    if shown[view.buffer] ~= view then
      return
    end
    if result then
      return view:learn(result, change)
    end
    view.waiting = view.waiting - 1
    if failure.code == "params" or failure.code == "not-open" then
      M.reopen(view.buffer)
    elseif failure.code ~= "outdated" and failure.code ~= "cancelled" then
      complain(failure.message)
      M.hide(view.buffer)
    end
  end)
end

local function whole(buffer)
  return table.concat(api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") .. "\n"
end

-- What the commands do -----------------------------------------------------------------------------

function M.show(buffer)
  local file = api.nvim_buf_get_name(buffer)
  if file == "" or vim.bo[buffer].buftype ~= "" then
    return complain("the buffer has no file")
  end
  local server = server_for(vim.loop.fs_realpath(file) or file)
  if not server then
    return
  end
  local path = (vim.loop.fs_realpath(file) or file):sub(#server.top + 2)
  local view = setmetatable({ buffer = buffer, server = server, path = path, lines = {}, waiting = 0 }, View)
  shown[buffer] = view
  ask(view, "open", { text = whole(buffer) })
  api.nvim_buf_attach(buffer, false, {
    on_lines = function(_, _, _, first, last_before, last)
      if shown[buffer] ~= view then
        return true
      end
      local change = { from = first + 1, to = last_before + 1, lines = api.nvim_buf_get_lines(buffer, first, last, false) }
      ask(view, "edit", { changes = { change } }, change)
    end,
    on_reload = function()
      M.reopen(buffer)
    end,
    on_detach = function()
      M.hide(buffer)
    end,
  })
  local group = api.nvim_create_augroup("entire" .. buffer, {})
  api.nvim_create_autocmd("BufWritePost", {
    group = group,
    buffer = buffer,
    callback = function()
      M.refresh(buffer)
    end,
  })
end

-- reopen tells the program the buffer from its beginning.
function M.reopen(buffer)
  local view = shown[buffer]
  if view then
    ask(view, "open", { text = whole(buffer) })
  end
end

-- refresh asks for the owners again, after the file, HEAD or the records have changed.
function M.refresh(buffer)
  local view = shown[buffer]
  if view then
    ask(view, "refresh", {})
  end
end

function M.hide(buffer)
  local view = shown[buffer]
  if not view then
    return
  end
  shown[buffer] = nil
  pcall(api.nvim_del_augroup_by_name, "entire" .. buffer)
  if servers[view.server.top] then
    send(view.server, "close", { path = view.path })
  end
  if api.nvim_buf_is_loaded(buffer) then
    api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  end
end

function M.blame(argument)
  local buffer = api.nvim_get_current_buf()
  if argument == "off" or (argument ~= "on" and shown[buffer]) then
    return M.hide(buffer)
  end
  if not shown[buffer] then
    M.show(buffer)
  end
end

-- story returns the answer to why as lines of text.
local function story(result)
  local owner, out = result.owner, {}
  local function add(title, words)
    if words and words ~= "" then
      if title then
        out[#out + 1] = title
      end
      for _, line in ipairs(vim.split(words, "\n")) do
        out[#out + 1] = title and "  " .. line or line
      end
    end
  end
  add(nil, owner.who)
  add(nil, owner.reason)
  if owner.commit ~= "" then
    add(nil, owner.commit:sub(1, 7) .. " " .. (owner.subject or ""))
  end
  add("Prompt:", result.prompt)
  add("Task:", result.task)
  add("It said:", result.said)
  add("Call: " .. (result.call or ""), result.diff)
  add("Problem:", result.problem)
  return out
end

function M.why()
  local buffer = api.nvim_get_current_buf()
  if not shown[buffer] then
    M.show(buffer)
  end
  local view = shown[buffer]
  if not view then
    return
  end
  local line = api.nvim_win_get_cursor(0)[1]
  local function question()
    send(view.server, "why", { path = view.path, line = line }, function(result, failure)
      if failure then
        return complain(failure.message)
      end
      M.float = vim.lsp.util.open_floating_preview(story(result), "", { border = "rounded", focus_id = "entire", max_width = 100 })
    end)
  end
  if #view.lines > 0 then
    return question()
  end
  vim.wait(10000, function() -- the first answer
    return #view.lines > 0 or shown[buffer] ~= view
  end, 20)
  if shown[buffer] == view and #view.lines > 0 then
    question()
  end
end

-- For tests and status lines.

-- owner returns who wrote a line of a buffer; nil if that is not known yet.
function M.owner(buffer, line)
  local view = shown[buffer]
  local number = view and view.lines[line]
  return number and view.server.owners[number]
end

-- settled reports whether all answers have come.
function M.settled(buffer)
  local view = shown[buffer]
  return view ~= nil and view.waiting == 0 and #view.lines > 0
end

return M
