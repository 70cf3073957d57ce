const page = document.getElementById("shared"), notice = document.getElementById("notice")
const until = Date.parse(notice.dataset.until)
function look() {
  if (!(Date.now() < until)) {
    page.remove()
    document.title = notice.textContent = "This page has expired."
    return
  }
  notice.hidden = true
  page.hidden = false
  document.title = page.dataset.title
  setTimeout(look, Math.min(until - Date.now(), 60000))
}
look()
addEventListener("pageshow", look)
document.addEventListener("visibilitychange", look)
