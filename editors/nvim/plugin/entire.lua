if vim.g.loaded_entire then
  return
end
vim.g.loaded_entire = true

local function call(name)
  return function(opts)
    require("entire")[name](opts.args)
  end
end

vim.api.nvim_create_user_command("EntireBlame", call("blame"), {
  nargs = "?",
  complete = function()
    return { "on", "off" }
  end,
  desc = "Show or hide who wrote each line of the file",
})
vim.api.nvim_create_user_command("EntireWhy", call("why"), { nargs = 0, desc = "Show the prompt behind the line" })
