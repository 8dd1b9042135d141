package provider

import "testing"

func TestModelMissing(t *testing.T) {
	for body, want := range map[string]bool{
		`{"error":{"message":"The model ` + "`gpt-9`" + ` does not exist or you do not have access to it.","code":"model_not_found"}}`: true,
		`{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`:                                              true,
		`{"error":{"message":"Unrecognized request URL"}}`:                                                                             false,
	} {
		if e := Classify(404, nil, []byte(body)); e.ModelMissing() != want {
			t.Errorf("%s: %v, code %q, message %q", body, !want, e.Code, e.Message)
		}
	}
}
