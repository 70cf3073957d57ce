// The token follows the sign # of the link, which a browser sends to nobody. It is taken out of the
// address before the form is sent, so that the history of the browser does not keep it.
const form = document.forms[0]
const token = location.hash.slice(1)
if (token) {
  history.replaceState(null, "", location.pathname + location.search)
  form.elements.token.value = token
  form.submit()
} else {
  form.elements.token.focus()
  // A browser that has entered before goes on to the page: its cookie belongs to a folder that the
  // pages have noted for this origin.
  const base = localStorage.getItem("base")
  if (base) {
    fetch(base + "/visit").then(r => r.text()).then(answer => {
      if (answer === "yes") location.replace(base + form.elements.to.value)
    }).catch(() => {})
  }
}
