-- Run by TestNeovim of cmd/entire in a worktree with poem.txt: a line that is older than Entire, and two of an agent's.
local entire = require("entire")
local namespace = vim.api.nvim_get_namespaces().entire

local function fail(what)
  io.stderr:write("FAIL: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function equal(what, got, want)
  if not vim.deep_equal(got, want) then
    fail(what .. ": " .. vim.inspect(got) .. ", not " .. vim.inspect(want))
  end
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail("waited for " .. what)
  end
end

local function classes()
  local out = {}
  for i = 1, vim.api.nvim_buf_line_count(0) do
    local owner = entire.owner(vim.api.nvim_get_current_buf(), i)
    out[i] = owner and owner.class .. "/" .. owner.evidence
  end
  return out
end

local function drawn()
  local out = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
    local details = mark[4]
    out[#out + 1] = string.format("%d %s", mark[2] + 1, details.virt_text and vim.trim(details.virt_text[1][1]) or "")
  end
  return out
end

-- signs returns what is on the screen before the first lines.
local function signs(n)
  vim.cmd("set signcolumn=yes | redraw")
  local out = {}
  for row = 1, n do
    out[row] = vim.trim(vim.fn.screenstring(row, 1) .. vim.fn.screenstring(row, 2))
  end
  return out
end

local function settled()
  local buffer = vim.api.nvim_get_current_buf()
  wait("answers", function()
    return entire.settled(buffer)
  end)
end

local ok, problem = xpcall(function()
  vim.cmd("edit poem.txt")
  vim.cmd("EntireBlame")
  settled()
  equal("owners", classes(), { "unknown/not-enabled", "agent/recorded", "agent/recorded" })
  wait("the prompt", function()
    return (drawn()[2] or ""):find("Add two lines to the poem", 1, true)
  end)
  local marks = drawn()
  equal("an unknown line says why", marks[1], "1 unknown (not-enabled: the line was written while Entire was not enabled)")
  equal("an agent's first line", marks[2]:match("^2 My Agent, session .*, turn 1: Add two lines to the poem$") ~= nil, true)
  equal("an agent's second line", marks[3], "3 ")
  equal("signs", signs(3), { "?", "▎", "▎" })

  vim.api.nvim_buf_set_lines(0, 2, 2, false, { "typed by a person" })
  settled()
  equal("after an edit", classes(), { "unknown/not-enabled", "agent/recorded", "human/unsaved", "agent/recorded" })
  equal("drawn after an edit", drawn()[3], "3 a person at this editor, not saved")
  vim.cmd("silent undo")
  settled()
  equal("undone", classes(), { "unknown/not-enabled", "agent/recorded", "agent/recorded" })
  vim.api.nvim_buf_set_lines(0, 0, 1, false, {})
  vim.api.nvim_buf_set_lines(0, 1, 1, false, { "one", "two" })
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "zero" })
  settled()
  equal("several edits", classes(), { "human/unsaved", "agent/recorded", "human/unsaved", "human/unsaved", "agent/recorded" })
  vim.cmd("silent write")
  settled()
  wait("the saved lines", function()
    return entire.settled(vim.api.nvim_get_current_buf()) and vim.deep_equal(classes(), { "human/uncommitted", "agent/recorded", "human/uncommitted", "human/uncommitted", "agent/recorded" })
  end)

  vim.fn.system({ "git", "commit", "-q", "-a", "-m", "by hand" })
  wait("HEAD", function()
    return vim.deep_equal(classes(), { "human/no-agent-work", "agent/recorded", "human/no-agent-work", "human/no-agent-work", "agent/recorded" })
  end)

  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd("EntireWhy")
  wait("the float", function()
    return entire.float ~= nil
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(entire.float, 0, -1, false), "\n")
  equal("the float has the prompt", text:find("Prompt:\n *Add two lines to the poem") ~= nil, true)

  vim.cmd("EntireBlame")
  equal("hidden", drawn(), {})
end, debug.traceback)
if not ok then
  fail(problem)
end
io.stdout:write("ok\n")
vim.cmd("qall!")
