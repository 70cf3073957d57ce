package attributioncmd

import (
	"errors"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
	"entire/internal/policy"
	"entire/internal/review"
)

// policyMax is the size up to which a policy file is read.
const policyMax = 1 << 20

// isPolicy reports whether the value of --check names a policy file. Limits always have an equals sign.
func (o attributionOptions) isPolicy() bool {
	return o.check != "" && (!strings.Contains(o.check, "=") || strings.HasSuffix(o.check, ".json"))
}

// checkAnnotations returns an error for a form that there is not, or that has no use here.
func (o attributionOptions) checkAnnotations(forms int) error {
	switch {
	case !slices.Contains(policy.Annotations(), o.annotations):
		return cliui.Failf("they are "+strings.Join(policy.Annotations(), ", "), "there are no annotations for %s", cliui.ShownName(o.annotations))
	case !o.isPolicy():
		return cliui.Failf("as in --check .entire/policy.json --annotations github", "--annotations needs --check with a policy file")
	case forms > 0:
		return cliui.Failf("run the command twice", "--annotations cannot go with --json, --markdown, --html or --format")
	}
	return nil
}

// readCheck returns the limits or the policy that --check has.
func (o attributionOptions) readCheck(env *cliui.Env) ([]review.Limit, *policy.Policy, error) {
	switch {
	case o.check == "":
		return nil, nil, nil
	case !o.isPolicy():
		limits, err := review.ParseLimits(o.check)
		if err != nil {
			return nil, nil, cliui.Failf("as in --check max-agent=80,max-unknown=5", "%w", err)
		}
		return limits, nil, nil
	}
	path, err := env.Abs(o.check)
	if err != nil {
		return nil, nil, err
	}
	data, err := durable.Read(path, policyMax)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		return nil, nil, cliui.Failf("limits have an equals sign, as in max-agent=80; anything else is the name of a policy file", "read the policy %s: %w", cliui.ShownName(o.check), err)
	}
	p, err := policy.Parse(data)
	if err != nil {
		return nil, nil, cliui.Failf("docs/attribution.md describes policies", "read the policy %s: %w", cliui.ShownName(o.check), err)
	}
	return nil, p, nil
}
