package builtin

import (
	"encoding/json"
	"testing"
)

// The whole default tool set is part of every first request, which stays under
// 10 KB; these six have less than half of it.
func TestSpecsAreSmall(t *testing.T) {
	e := &Env{}
	total := 0
	for _, tool := range All(e) {
		s := tool.Spec()
		raw, err := json.Marshal(map[string]any{"name": s.Name, "description": s.Description, "input_schema": s.Schema})
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		t.Logf("%s: %d bytes", s.Name, len(raw))
		total += len(raw)
	}
	if total > 8<<10 {
		t.Errorf("the tools take %d bytes of every request", total)
	}
}
