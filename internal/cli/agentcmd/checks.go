package agentcmd

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// checkPayloads checks that the adapter knows its own verbs and refuses what is no payload.
func (v *checkView) checkPayloads(ag agent.Agent, now time.Time) {
	const check = "payloads that cannot be read are refused"
	if _, err := ag.Decode("no-such-verb", []byte("{}"), now); !errors.Is(err, agent.ErrUnknownVerb) {
		v.add(check, failed, "an unknown verb is not refused as unknown", "")
		return
	}
	verbs := ag.Verbs()
	for _, verb := range verbs {
		for _, text := range []string{"", "[]", "{\"session_id\":", "{\"session_id\":\"../x\"}"} {
			ev, err := ag.Decode(verb, []byte(text), now)
			switch {
			case err == nil && ev.Type != "":
				v.add(check, failed, fmt.Sprintf("%s accepts the payload %q", verb, text), "")
				return
			case errors.Is(err, agent.ErrUnknownVerb):
				v.add(check, failed, verb+" is a verb that it lists and does not know", "")
				return
			}
		}
	}
	v.add(check, passed, cliui.Count(len(verbs), "verb"), "")
}

// checkHookFiles installs the hooks in copies of the hook files, and removes them again.
func (v *checkView) checkHookFiles(top string, ag agent.Agent, opts agent.InstallOptions) {
	const check = "hooks can be removed without a trace"
	files := ag.Profile().HookFiles
	for i, file := range files {
		src, err := workplace.ReadHookFile(top, file)
		if err == nil {
			err = roundTrip(ag, file, src, opts, i == 0)
		}
		if err != nil {
			v.add(check, failed, fmt.Sprintf("%s: %v", file.Path, err), cliui.HintOf(cliui.ToCorrect("%w", err)))
			return
		}
	}
	if len(files) > 0 {
		v.add(check, passed, cliui.Count(len(files), "hook file"), "")
	}
}

// roundTrip returns an error unless hooks that are installed in src and removed again leave the text as it
// is without them. main says that the file is the most important one.
func roundTrip(ag agent.Agent, file agent.HookFile, src []byte, opts agent.InstallOptions, main bool) error {
	for _, begin := range [][]byte{nil, src} {
		clean, _, err := ag.Uninstall(file.Path, begin)
		if err != nil {
			return err
		}
		with, added, err := ag.Install(file.Path, clean, opts)
		if err != nil {
			return err
		}
		if main && (added == 0 || !ag.Installed(with)) {
			return errors.New("nothing is installed where there is no hook")
		}
		if again, more, err := ag.Install(file.Path, with, opts); err != nil || more != 0 || string(again) != string(with) {
			return errors.New("installing twice is not installing once")
		}
		without, removed, err := ag.Uninstall(file.Path, with)
		if err != nil {
			return err
		}
		if added > 0 && removed == 0 || string(without) != string(clean) || (without == nil) != (clean == nil) {
			return errors.New("removing the hooks does not restore the text")
		}
	}
	return nil
}

// checkStanding checks what is here on this machine.
func (v *checkView) checkStanding(env *cliui.Env, p workplace.Place, s agentlib.Standing) {
	about := s.Agent.Profile()
	add := "entire agent add " + string(s.Agent.Name())
	switch {
	case !p.SetUp:
		v.add("hooks are installed", noted, "Entire is not set up here", "entire enable --agent "+string(s.Agent.Name()))
	case s.HookFile == "":
		v.add("hooks are installed", noted, "it calls the hooks itself", "")
	case s.Installed:
		v.add("hooks are installed", passed, s.HookFile, "")
	default:
		v.add("hooks are installed", failed, s.HookFile+" has none", add)
	}
	switch {
	case len(s.Programs) > 0:
		v.add("the agent is found", passed, strings.Join(s.Programs, ", "), "")
	case len(about.Programs) > 0:
		v.add("the agent is found", noted, strings.Join(about.Programs, ", ")+" is not on PATH", "")
	}
	if path := agentlib.OnPath(env, "entire"); path != "" {
		v.add("entire is found", passed, path, "")
	} else if s.Installed {
		v.add("entire is found", failed, "it is not on PATH, and the hooks run it by its name", "add its folder to PATH")
	}
	switch {
	case s.ChangedSince():
		v.add("the agent was heard", noted, cliui.Ago(env.Now().Sub(s.Heard))+", before its hooks were changed: "+s.Trust(), "")
	case !s.Heard.IsZero():
		v.add("the agent was heard", passed, cliui.Ago(env.Now().Sub(s.Heard)), "")
	case s.Installed && s.Trust() != "":
		v.add("the agent was heard", noted, "never: "+s.Trust(), "")
	case p.SetUp:
		v.add("the agent was heard", noted, "never", "")
	}
	if a := s.Alarm; a != nil {
		v.add("its work is captured", failed, a.Text(env.Now()), a.Hint)
	}
}
