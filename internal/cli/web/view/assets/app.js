// Everything here is also there without it: the keys follow links, and what it brings up to date can be
// loaded again.
const base = document.body.dataset.base
localStorage.setItem("base", base)

// Keys. A link names its own key; the rest moves between the links of rows.
const follow = selector => { const a = document.querySelector(selector); if (a) a.click(); return a }
const rows = () => [...document.querySelectorAll("[data-row]")].filter(a => a.getClientRects().length)
const move = by => {
  const all = rows()
  if (!all.length) return
  const at = all.indexOf(document.activeElement.closest("[data-row]"))
  const next = at < 0 ? all.find(a => a.getBoundingClientRect().top >= 0) || all[0] : all[Math.max(0, Math.min(all.length - 1, at + by))]
  next.focus()
  next.scrollIntoView({ block: "nearest" })
}
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return
  if (e.target.closest("input, textarea, select")) { if (e.key === "Escape") e.target.blur(); return }
  const acts = {
    j: () => move(1), k: () => move(-1),
    "]": () => follow("a[rel=next]"), "[": () => follow("a[rel=prev]"),
    "/": () => { const field = document.querySelector("input[type=search]"); if (field) field.focus(); else follow("[data-key='/']") },
  }
  const act = acts[e.key] || (e.key.length === 1 && document.querySelector(`[data-key="${CSS.escape(e.key)}"]`) && (() => follow(`[data-key="${CSS.escape(e.key)}"]`)))
  if (act) { e.preventDefault(); act() }
})

// A page that is live is loaded again when the repository has changed. While the tab is hidden it does not
// listen: a browser has few connections to one server.
const status = text => { document.getElementById("status").textContent = text }
let events
const refresh = async () => {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } })
  if (!answer.ok) return
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  if (page.body.dataset.base !== base) return // the server is another one, which asks for its own link
  const at = document.activeElement.closest("[id]"), top = scrollY
  document.getElementById("main").replaceChildren(...page.getElementById("main").childNodes)
  if (at && at.id !== "main") document.getElementById(at.id)?.querySelector("[data-row]")?.focus({ preventScroll: true })
  scrollTo(0, top)
  mark()
}
const mark = async () => {
  if (!document.querySelector(".row")) return
  const answer = await fetch(base + "/present.json")
  if (!answer.ok) return
  const { present } = await answer.json()
  for (const row of document.querySelectorAll(".row.present")) if (row.id !== "p" + present) { row.classList.remove("present"); row.querySelector(".here")?.remove() }
  const row = present && document.getElementById("p" + present)
  if (!row || row.classList.contains("present")) return
  row.classList.add("present")
  row.querySelector(".meta").prepend(Object.assign(document.createElement("strong"), { className: "here", textContent: "you are here" }), " ")
}
const listen = () => {
  if (events || !("live" in document.body.dataset)) return
  events = new EventSource(base + "/events")
  events.addEventListener("changed", refresh)
  events.onopen = () => status("")
  events.onerror = () => status("not live: the server does not answer")
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) { events?.close(); events = undefined } else if (!events) { listen(); refresh() }
})
listen()
mark()
