// Everything here is also there without it: the keys follow links, and what it brings up to date can be
// loaded again.
const base = document.body.dataset.base
localStorage.setItem("base", base)
document.documentElement.classList.add("js")

// Keys. A link names its own key; the rest moves between the links of rows.
const press = selector => { const a = document.querySelector(selector); if (a) a.click(); return a }
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
    "]": () => press("a[rel=next]"), "[": () => press("a[rel=prev]"),
    x: () => {
      const row = document.activeElement.closest(".row")
      if (!row) return
      row.classList.toggle("marked")
      const marked = [...document.querySelectorAll(".row.marked")].map(r => r.id.slice(1))
      if (marked.length === 2) location.href = `${base}/diff?a=${marked[1]}&b=${marked[0]}` // the older one first
    },
    "/": () => { const field = document.querySelector("input[type=search]"); if (field) field.focus(); else press("[data-key='/']") },
  }
  const act = acts[e.key] || (e.key.length === 1 && document.querySelector(`[data-key="${CSS.escape(e.key)}"]`) && (() => press(`[data-key="${CSS.escape(e.key)}"]`)))
  if (act) { e.preventDefault(); act() }
})

// A page that is live is loaded again when the repository has changed. While the tab is hidden it does not
// listen: a browser has few connections to one server.
const status = text => { document.getElementById("status").textContent = text }
let events
// get returns the text of an answer; undefined if there is none, as when the person has gone on to another page.
const get = async (address, more) => {
  try {
    const answer = await fetch(address, more)
    if (answer.ok) return await answer.text()
  } catch {}
}
const parsed = text => new DOMParser().parseFromString(text, "text/html")
// One answer is waited for at a time. A page that is to show something else waits no longer for what it was to
// show before, so that no late answer replaces a newer one.
let wanted = location.href, waiting, again
const refresh = async (address = wanted) => {
  if (waiting && address === wanted) { again = true; return false }
  waiting?.abort()
  const mine = waiting = new AbortController()
  wanted = address
  let shown
  do { again = false; shown = await load(address, mine) } while (again && waiting === mine)
  if (waiting === mine) waiting = undefined
  return shown
}
const load = async (address, mine) => {
  const text = await get(address, { headers: { Accept: "text/html" }, signal: mine.signal })
  if (!text || waiting !== mine) return false
  const page = parsed(text)
  if (page.body.dataset.base !== base) return false // the server is another one, which asks for its own link
  const focused = document.activeElement
  become(document.getElementById("main"), page.getElementById("main"))
  document.title = page.title
  if (document.activeElement !== focused && focused.isConnected) focused.focus({ preventScroll: true })
  fresh()
  return true
}
// What is shown becomes what it should be. What stays, stays the same element: it keeps the focus, what is
// typed or selected in it, and whether it is open or marked.
const become = (old, next) => {
  if (old.isEqualNode(next)) return
  if (old.nodeType !== 1) { old.data = next.data; return }
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && name !== "open") old.removeAttribute(name)
  const marked = old.classList.contains("marked")
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  if (marked) old.classList.add("marked")
  if (old.matches("input") && old.form !== document.activeElement.form) { old.value = next.value; old.checked = next.checked }
  let at = old.firstChild
  for (const child of [...next.childNodes]) {
    const same = !child.id ? at : at?.id === child.id ? at : old.querySelector(`:scope > #${CSS.escape(child.id)}`)
    if (!same || same.nodeName !== child.nodeName || (same.id ?? "") !== (child.id ?? "")) { old.insertBefore(child, at); continue }
    if (same !== at) old.insertBefore(same, at)
    become(same, child)
    at = same.nextSibling
  }
  while (at) { const gone = at; at = at.nextSibling; gone.remove() }
}
// What a page does once it is shown, and again when it is brought up to date.
const fresh = () => {
  mark()
  const more = document.querySelector("[data-load]")
  if (more && more.href !== wanted) refresh(more.href)
  for (const link of document.querySelectorAll("[data-later], [data-earlier]")) near.observe(link)
  const looked = document.querySelector("[data-why]:focus, :hover > [data-why]")
  if (looked) ask({ target: looked })
}
const mark = async () => {
  if (!document.querySelector(".row")) return
  const answer = await get(base + "/present.json")
  if (!answer) return
  const { present } = JSON.parse(answer)
  for (const row of document.querySelectorAll(".row.present")) if (row.id !== "p" + present) { row.classList.remove("present"); row.querySelector(".here")?.remove() }
  const row = present && document.getElementById("p" + present)
  if (!row || row.classList.contains("present")) return
  row.classList.add("present")
  row.querySelector(".meta").prepend(Object.assign(document.createElement("strong"), { className: "here", textContent: "you are here" }), " ")
}
const listen = () => {
  if (events || !("live" in document.body.dataset) && !talk()) return
  events = new EventSource(base + "/events")
  events.addEventListener("changed", () => talk() ? follow() : refresh())
  events.onopen = () => status("")
  events.onerror = () => status("not live: the server does not answer")
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) { events?.close(); events = undefined } else if (!events) { listen(); if (events) talk() ? follow() : refresh() }
})
// The slider shows the state that it stands at.
let turning
addEventListener("input", e => {
  const form = e.target.form
  if (!form?.matches("[data-swap]")) return
  for (const button of document.querySelectorAll("form.confirm button")) button.disabled = true // it would do what was shown before
  clearTimeout(turning)
  turning = setTimeout(async () => {
    const address = form.action + "?" + new URLSearchParams(new FormData(form))
    if (await refresh("typed" in form.dataset ? address + "&typed=1" : address)) history.replaceState(null, "", address)
  }, 60)
})

// The owner of a line says what was asked for, once somebody looks.
const ask = async e => {
  const link = e.target.closest?.("[data-why]")
  if (!link || link.dataset.asked) return
  link.dataset.asked = "yes"
  const answer = await get(link.href.replace("/why?", "/why.json?"))
  if (!answer) return
  const { prompt } = JSON.parse(answer)
  if (prompt) link.querySelector(".tip").append(Object.assign(document.createElement("span"), { className: "asked", textContent: prompt.length > 400 ? prompt.slice(0, 400) + " …" : prompt }))
}
addEventListener("focusin", ask)
addEventListener("mouseover", ask)

// The reader of a session loads the next messages before they are reached, and keeps a bounded number of them.
const keep = 480
const talk = () => document.getElementById("talk")
const numberOf = li => +li.id.slice(1)
const partAt = (n, link) => { const u = new URL(link.href, location); u.searchParams.set("from", Math.max(1, n)); u.hash = ""; return u.pathname + u.search }
const extend = async link => {
  if (link.dataset.busy) return
  link.dataset.busy = "yes"
  const later = "later" in link.dataset
  const answer = await get(link.href)
  if (!answer) { delete link.dataset.busy; return }
  const page = parsed(answer), list = talk(), known = new Set([...list.children].map(li => li.id))
  const more = [...page.querySelectorAll("#talk > li")].filter(li => !known.has(li.id))
  const other = page.querySelector(later ? "[data-later]" : "[data-earlier]"), nav = link.parentElement
  const read = [...list.children].find(li => li.getBoundingClientRect().bottom > 0) ?? list.lastElementChild, top = read.getBoundingClientRect().top
  list[later ? "append" : "prepend"](...more)
  link.remove()
  if (other) { nav.append(other); near.observe(other) }
  while (list.children.length > keep) (later ? list.firstElementChild : list.lastElementChild).remove()
  renew(later)
  if (read.isConnected) scrollBy(0, read.getBoundingClientRect().top - top) // what is being read stays where it is
}
// After messages were left out at the other end, the link there leads to them.
const renew = later => {
  const list = talk(), nav = document.querySelector(later ? "nav[aria-label=Earlier]" : "nav[aria-label=Later]")
  const at = later ? numberOf(list.firstElementChild) - 80 : numberOf(list.lastElementChild) + 1
  let link = nav.firstElementChild
  if (later ? at + 80 <= 1 : at > +document.querySelector("#from").max) return
  if (!link) {
    link = document.createElement("a")
    link.textContent = later ? "↑ Earlier messages" : "Later messages ↓"
    link.dataset[later ? "earlier" : "later"] = ""
    link.rel = later ? "prev" : "next"
    link.href = location.href
    nav.append(link)
  }
  link.href = partAt(at, link)
  near.observe(link)
}
const near = new IntersectionObserver(seen => { for (const one of seen) if (one.isIntersecting) extend(one.target) }, { rootMargin: "1600px" })
// A session that goes on gets its new messages at its end, if the end is shown.
const follow = () => {
  const nav = document.querySelector("nav[aria-label=Later]")
  if (nav.firstElementChild) return
  const link = Object.assign(document.createElement("a"), { rel: "next", textContent: "Later messages ↓" })
  link.dataset.later = ""
  link.href = partAt(numberOf(talk().lastElementChild) + 1, { href: location.href })
  nav.append(link)
  extend(link)
}
// The address follows, so that coming back leads to the same message.
let resting
addEventListener("scroll", () => {
  if (!talk()) return
  clearTimeout(resting)
  resting = setTimeout(() => {
    const first = [...talk().children].find(li => li.getBoundingClientRect().bottom > 60)
    if (!first) return
    document.getElementById("from").value = numberOf(first)
    history.replaceState(null, "", partAt(numberOf(first), { href: location.href }))
  }, 200)
}, { passive: true })

const field = document.querySelector("input[autofocus]")
field?.setSelectionRange(field.value.length, field.value.length)
listen()
fresh()
