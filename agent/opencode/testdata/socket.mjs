// What the scripts of this folder do with the plugin's socket.
import { readFileSync } from "node:fs"
import { createConnection } from "node:net"
import { join } from "node:path"

// socketIn returns the socket that the last start of a turn named.
export function socketIn(directory) {
  const starts = readFileSync(join(directory, "calls"), "utf8").split("\n").filter((line) => line.startsWith("turn-start"))
  return JSON.parse(starts[starts.length - 1].split("\t")[1]).socket
}

// asks returns what the plugin sends of a session, while its program's conversation is what now returns.
export async function asks(path, session, now, messages) {
  if (messages) messages.now = now
  const said = await new Promise((resolve, reject) => {
    let text = ""
    const socket = createConnection(path, () => socket.write(session + "\n"))
    socket.on("data", (data) => (text += data))
    socket.on("error", reject)
    socket.on("close", () => resolve(text))
  })
  if (messages) delete messages.now
  return said
}
