package redact

import "testing"

// TestAnswersKeepTheirNames: tokens count once for each answer, which Copilot CLI names by the service's ID.
func TestAnswersKeepTheirNames(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3e4f50617", "msg_01BvX9kQ3vZ8LmT2xWc7RfB1", "chatcmpl-CnBq8Xk2mPzL5vRtY7wE9sQa1"} {
		line := `{"type":"session.usage_record","data":{"usage":{"apiCallId":"` + id + `","inputTokens":1}}}`
		if got := string(JSON([]byte(line))); got != line {
			t.Errorf("%s", got)
		}
	}
}
