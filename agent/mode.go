package agent

// maxMode is how long the name of a mode of permissions may be.
const maxMode = 40

// mode is the agent's word for what it may do without asking; "" where it says none.
func (p *payload) mode() string {
	v, name := p.find("permission_mode", "permissionMode")
	mode := p.word(v, name)
	if len(mode) > maxMode {
		p.warn("%s is too long: ignored", name)
		return ""
	}
	return mode
}
