package agent

// maxMode bounds the length of the name of a permission mode.
const maxMode = 40

// mode returns the name of the agent's permission mode; "" if the payload has none.
func (p *payload) mode() string {
	v, name := p.find("permission_mode", "permissionMode")
	mode := p.word(v, name)
	if len(mode) > maxMode {
		p.warn("%s is too long: ignored", name)
		return ""
	}
	return mode
}
