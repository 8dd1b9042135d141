package hook

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func parsed(t *testing.T, text string) []Hook {
	t.Helper()
	hooks, problems := Parse([]byte(text), Source{User, "forge.json"})
	if len(problems) > 0 {
		t.Fatalf("problems: %q", problems)
	}
	return hooks
}

func TestDialectsAreReadAsTheyAreWritten(t *testing.T) {
	claude := parsed(t, `{"PreToolUse":[{"matcher":"Write|Edit","hooks":[{"type":"command","command":"a","timeout":5},{"type":"command","command":"b"}]}],
		"Stop":[{"hooks":[{"type":"command","command":"c"}]}]}`)
	if len(claude) != 3 || claude[0].Dialect != Claude || claude[0].Limit() != 5*time.Second || claude[1].Limit() != DefaultTimeout || claude[2].Event != Stop {
		t.Errorf("claude: %+v", claude)
	}
	crush := parsed(t, `{"pre_tool_use":[{"matcher":"^bash$","command":"./no.sh","name":"no","timeout":10}]}`)
	if len(crush) != 1 || crush[0].Dialect != Crush || crush[0].Event != PreToolUse || crush[0].Label() != "no" || crush[0].Limit() != 10*time.Second {
		t.Errorf("crush: %+v", crush)
	}
	gemini := parsed(t, `{"BeforeTool":[{"matcher":"write_.*","hooks":[{"name":"g","type":"command","command":"x","timeout":5000}]}],"AfterTool":[{"hooks":[{"type":"command","command":"y"}]}]}`)
	if len(gemini) != 3 || gemini[2].Dialect != Gemini || gemini[2].Limit() != 5*time.Second || gemini[1].Event != PostFailure {
		t.Errorf("gemini: %+v", gemini)
	}
	if end := parsed(t, `{"SessionEnd":[{"hooks":[{"command":"x","timeout":600}]}]}`); end[0].Limit() != endTimeout {
		t.Errorf("who leaves waits %s", end[0].Limit())
	}
}

func TestWhatIsNotKnownIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		`{"PreToolUse":[{"matcher":"^(?!Read)","hooks":[{"command":"x"}]}]}`: "invalid or unsupported Perl syntax",
		`{"PreToolUse":[{"hooks":[{"type":"prompt","prompt":"x"}]}]}`:        "only commands",
		`{"PreToolUse":[{"hooks":[{"type":"command"}]}]}`:                    "it has no command",
		`{"PreToolUse":[{"hooks":[{"command":"x","if":"Bash(git *)"}]}]}`:    `"if" is not known`,
		`{"PreToolUse":[{"hooks":[{"command":"x","onFailure":"shrug"}]}]}`:   "onFailure",
		`{"PreToolUse":[{"hooks":[{"command":"x","timeout":-1}]}]}`:          "negative",
		`{"PreToolUse":[{"command":"` + strings.Repeat("a; ", 3000) + `"}]}`: "put it into a script",
		`{"PreToolUse":{"hooks":[]}}`:                                        "must be a list",
		`{"BeforeModel":[{"hooks":[{"command":"x"}]}]}`:                      "no event",
		`["x"]`: "none of them is in force",
		`{"PreToolUse":[{"matcher":"[","command":"x"}]}`:                            "missing closing",
		`{"PreToolUse":[{"hooks":[{"command":"x","timeout":"long"}]}]}`:             "timeout",
		`{"PreToolUse":[` + strings.Repeat(`{"command":"x"},`, 300) + `{"c":"x"}]}`: "only the first 200",
	} {
		hooks, problems := Parse([]byte(text), Source{Project, ".claude/settings.json"})
		if !strings.Contains(strings.Join(problems, "\n"), want) || len(hooks) > maxHooks || len(hooks) > 0 && len(hooks) < maxHooks {
			t.Errorf("%.60s: %d hooks, %q, want %q", text, len(hooks), problems, want)
		}
	}
}

// One that cannot be had does not take its neighbours with it.
func TestOneOfAGroup(t *testing.T) {
	hooks, problems := Parse([]byte(`{"Stop":[{"hooks":[{"command":"a"},{"type":"http","url":"x"},{"command":"b"}]}]}`), Source{User, "f"})
	if len(hooks) != 2 || len(problems) != 1 {
		t.Errorf("%+v %q", hooks, problems)
	}
}

func TestMatchersMeanOurTools(t *testing.T) {
	for _, c := range []struct {
		hook   string
		event  Event
		yes    []string
		no     []string
		crushy bool
	}{
		{`"matcher":"Bash"`, PreToolUse, []string{"run_bash"}, []string{"read_file", "job_output", "mcp__x__Bash"}, false},
		{`"matcher":"Edit|Write"`, PreToolUse, []string{"edit_file", "write_file", "delete_file", "move_file"}, []string{"read_file"}, false},
		{`"matcher":"Edit, Write"`, PostToolUse, []string{"edit_file", "write_file"}, []string{"delete_file", "move_file"}, false},
		{`"matcher":"MultiEdit"`, PreToolUse, []string{"edit_file"}, []string{"write_file"}, false},
		{`"matcher":"*"`, PreToolUse, []string{"run_bash", "mcp__a__b"}, nil, false},
		{`"matcher":""`, PreToolUse, []string{"grep"}, nil, false},
		{`"matcher":"mcp__github__.*"`, PreToolUse, []string{"mcp__github__get"}, []string{"mcp__gitlab__get"}, false},
		{`"matcher":"mcp__github"`, PreToolUse, nil, []string{"mcp__github__get"}, false},
		{`"matcher":"run_bash"`, PreToolUse, []string{"run_bash"}, nil, false},
		{`"matcher":"bash"`, PreToolUse, []string{"run_bash"}, nil, false},
		{`"matcher":"Notebook.*"`, PreToolUse, nil, []string{"run_bash"}, false},
		{`"matcher":"^(edit|write|multiedit)$"`, PreToolUse, []string{"edit_file", "write_file"}, []string{"read_file"}, true},
		{`"matcher":"^(view|ls|grep|glob)$"`, PreToolUse, []string{"read_file", "list_dir", "grep", "glob"}, []string{"run_bash"}, true},
		{`"matcher":"^mcp_github_get"`, PreToolUse, []string{"mcp__github__get"}, []string{"mcp__x__get"}, true},
	} {
		text := `{"PreToolUse":[{` + c.hook + `,"hooks":[{"command":"x"}]}]}`
		if c.crushy {
			text = `{"PreToolUse":[{` + c.hook + `,"command":"x"}]}`
		}
		h := parsed(t, text)[0]
		for _, name := range c.yes {
			if !h.matches(namesOf(name, c.event)) {
				t.Errorf("%s does not match %s", c.hook, name)
			}
		}
		for _, name := range c.no {
			if h.matches(namesOf(name, c.event)) {
				t.Errorf("%s matches %s", c.hook, name)
			}
		}
	}
}

func TestArgumentsThereAndBack(t *testing.T) {
	const dir = "/w"
	for _, c := range []struct{ tool, in, name, theirs, key, value string }{
		{"run_bash", `{"command":"ls","timeout":5,"background":true}`, "Bash", `{"command":"ls","run_in_background":true,"timeout":5000}`, "command", `{"background":true,"command":"NEW","timeout":5}`},
		{"read_file", `{"path":"a/b.go","limit":3}`, "Read", `{"file_path":"/w/a/b.go","limit":3}`, "limit", `{"limit":"NEW","path":"a/b.go"}`},
		{"write_file", `{"path":"/w/x","content":"c"}`, "Write", `{"content":"c","file_path":"/w/x"}`, "content", `{"content":"NEW","path":"/w/x"}`},
		{"edit_file", `{"path":"x","edits":[{"old_string":"a","new_string":"b"}]}`, "Edit", `{"file_path":"/w/x","new_string":"b","old_string":"a"}`, "new_string", `{"edits":[{"new_string":"NEW","old_string":"a"}],"path":"x"}`},
		{"grep", `{"pattern":"p","mode":"files","include":"*.go"}`, "Grep", `{"glob":"*.go","output_mode":"files_with_matches","pattern":"p"}`, "pattern", `{"include":"*.go","mode":"files","pattern":"NEW"}`},
		{"mcp__a__b", `{"file_path":"x"}`, "mcp__a__b", `{"file_path":"x"}`, "file_path", `{"file_path":"NEW"}`},
	} {
		name, in := theirs(c.tool, c.in, dir, Claude)
		if got := encoded(t, in); name != c.name || got != c.theirs {
			t.Errorf("%s is %s %s, want %s", c.tool, name, got, c.theirs)
		}
		in[c.key] = "NEW"
		got, err := ours(c.tool, c.in, dir, in)
		if err != nil || got != c.value {
			t.Errorf("%s back: %s, want %s (%v)", c.tool, got, c.value, err)
		}
	}
	if name, in := theirs("edit_file", `{"path":"x","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}`, dir, Claude); name != "MultiEdit" || in["edits"] == nil {
		t.Errorf("several edits: %s %v", name, in)
	}
}
