package cli

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"forge/provider"
	"forge/tools/permission"
	"forge/ui/print"
)

// parse returns the Flags a command line leads to.
func parse(args ...string) (got Flags, started bool, err error) {
	var out bytes.Buffer
	root := Root(Options{Version: "test", Out: &out, Err: &out, Start: func(_ *cobra.Command, f Flags) error {
		got, started = f, true
		return nil
	}})
	root.SetArgs(Args(root, args))
	err = root.ExecuteContext(context.Background())
	return got, started, err
}

func TestFlags(t *testing.T) {
	text := func(f Flags) Flags { f.Format = print.Text; return f }
	for line, want := range map[string]Flags{
		"":                                     text(Flags{}),
		"-p login":                             text(Flags{Prompt: "login", Headless: true}),
		"run exec":                             text(Flags{Prompt: "exec", Headless: true}),
		"-r login":                             text(Flags{Resume: true, ResumeID: "login"}),
		"login please":                         text(Flags{Prompt: "login please"}),
		"-p modles":                            text(Flags{Prompt: "modles", Headless: true}),
		"muddle":                               text(Flags{Prompt: "muddle"}),
		"modles please":                        text(Flags{Prompt: "modles please"}),
		"-p hello":                             text(Flags{Prompt: "hello", Headless: true}),
		"--prompt=hello there":                 text(Flags{Prompt: "hello there", Headless: true}),
		"--print hello":                        text(Flags{Prompt: "hello", Headless: true}),
		"run hello there":                      text(Flags{Prompt: "hello there", Headless: true}),
		"run -p hello there":                   text(Flags{Prompt: "hello there", Headless: true}),
		"-p":                                   text(Flags{Headless: true}),
		"-p --json hello":                      {Prompt: "hello", Headless: true, Format: print.JSON},
		"-p -m x/y hello":                      text(Flags{Prompt: "hello", Headless: true, Model: "x/y"}),
		"hello -p":                             text(Flags{Prompt: "hello", Headless: true}),
		"-p -- --json":                         text(Flags{Prompt: "--json", Headless: true}),
		"-p -x":                                text(Flags{Prompt: "-x", Headless: true}),
		"look around":                          text(Flags{Prompt: "look around"}),
		"-c":                                   text(Flags{Continue: true}),
		"-r":                                   text(Flags{Resume: true}),
		"-r 20260102-030405-abc":               text(Flags{Resume: true, ResumeID: "20260102-030405-abc"}),
		"-r=abc -p hi":                         text(Flags{Resume: true, ResumeID: "abc", Prompt: "hi", Headless: true}),
		"-r plan -p hi":                        text(Flags{Resume: true, ResumeID: "plan", Prompt: "hi", Headless: true}),
		"-r the plan -p hi":                    text(Flags{Resume: true, ResumeID: "the plan", Prompt: "hi", Headless: true}),
		"--resume=abc":                         text(Flags{Resume: true, ResumeID: "abc"}),
		"-r ct2awr":                            text(Flags{Resume: true, ResumeID: "ct2awr"}),
		"-r abcdef":                            text(Flags{Resume: true, ResumeID: "abcdef"}),
		"-r ct2awr go on":                      text(Flags{Resume: true, ResumeID: "ct2awr", Prompt: "go on"}),
		"-r please go on":                      text(Flags{Resume: true, ResumeID: "please go on"}),
		"-r ct2awr -p hi":                      text(Flags{Resume: true, ResumeID: "ct2awr", Prompt: "hi", Headless: true}),
		"-r 20260102-030405-a go":              text(Flags{Resume: true, ResumeID: "20260102-030405-a", Prompt: "go"}),
		"-r old.jsonl go":                      text(Flags{Resume: true, ResumeID: "old.jsonl", Prompt: "go"}),
		"-r fix it":                            text(Flags{Resume: true, ResumeID: "fix it"}),
		"--demo":                               text(Flags{Demo: true}),
		"--demo=a.script":                      text(Flags{Demo: true, DemoFile: "a.script"}),
		"--yolo":                               text(Flags{Mode: permission.ModeYolo}),
		"--yes":                                text(Flags{Mode: permission.ModeYolo}),
		"--mode plan":                          text(Flags{Mode: permission.ModePlan}),
		"--mode yolo --yolo":                   text(Flags{Mode: permission.ModeYolo}),
		"--sandbox require":                    text(Flags{Sandbox: "require"}),
		"--think":                              text(Flags{Effort: provider.EffortMedium}),
		"--think=false":                        text(Flags{Effort: provider.EffortNone}),
		"--think --effort high":                text(Flags{Effort: provider.EffortHigh}),
		"--json --output-format stream-json":   {Format: print.StreamJSON},
		"--add-dir a --add-dir b,c -C d":       text(Flags{AddDirs: []string{"a", "b", "c"}, Dir: "d"}),
		"--tools a,b --tools c --deny-tools d": text(Flags{Tools: []string{"a", "b", "c"}, DenyTools: []string{"d"}}),
		"--max-turns 3 --max-tokens 4 --budget 5 --keep 6":                   text(Flags{MaxTurns: 3, MaxTokens: 4, Budget: 5, Keep: 6}),
		"--provider p --base-url u --wire anthropic --api-key-env E --raw r": text(Flags{Provider: "p", BaseURL: "u", Wire: "anthropic", KeyEnv: "E", Raw: "r"}),
	} {
		args := strings.Fields(line)
		if name, value, ok := strings.Cut(line, "="); ok && name == "--prompt" {
			args = []string{name + "=" + value}
		}
		got, started, err := parse(args...)
		if len(got.AddDirs) == 0 {
			got.AddDirs = nil
		}
		if len(got.Tools) == 0 {
			got.Tools, got.DenyTools = nil, nil
		}
		if err != nil || !started || !reflect.DeepEqual(got, want) {
			t.Errorf("forge %s\ngot  %+v, %v\nwant %+v", line, got, err, want)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for line, want := range map[string]string{
		"--mode plan --yolo":       "--yolo and --mode contradict each other: give one of them",
		"-c -r":                    "--continue and --resume contradict each other: give one of them",
		"-p hi -r":                 "--resume needs an id here, because nobody can choose: see forge -r",
		"--sandbox on":             `sandbox "on" is unknown: use auto, require or off`,
		"--tools=":                 "--tools names no tool; --deny-tools '*' leaves out all of them",
		"--budget 0":               "--budget must be at least 1",
		"--keep -1":                "--keep must be at least 1",
		"--max-tokens 0":           "--max-tokens must be at least 1",
		"modles":                   "there is no command modles; did you mean forge models? To ask it: forge -p modles",
		"sesions":                  "there is no command sesions; did you mean forge sessions? To ask it: forge -p sesions",
		"--contineu":               "unknown flag --contineu: did you mean --continue?",
		"--yess":                   "unknown flag --yess; forge --help lists the flags",
		"exec":                     "there is no command exec: forge run answers one prompt and ends. To ask it: forge -p exec",
		"--permission-mode plan":   "unknown flag --permission-mode: here it is --mode",
		"--approval-mode=auto":     "unknown flag --approval-mode: here it is --mode",
		"run --last":               "unknown flag --last: here it is --continue",
		"-i a.png":                 "unknown flag -i: here it is --image",
		"-y":                       "unknown flag -y: here it is --yolo",
		"-a never":                 "unknown flag -a: here it is --mode",
		"--session 1":              "unknown flag --session: here it is --resume",
		"--no-alt-screen":          "unknown flag --no-alt-screen: here it is --inline",
		"--disallowedTools=x":      "unknown flag --disallowedTools: here it is --deny-tools",
		"run --allowedTools=x":     "unknown flag --allowedTools: what may run without a question is a rule here, as forge permissions add stores it",
		"--ide":                    "unknown flag --ide; forge --help lists the flags", // three letters are near to anything
		"--verbose":                "--verbose goes with -p; on the screen, --debug writes the same to a log, which forge logs shows",
		"models -y":                "unknown shorthand flag: 'y' in -y; forge models --help lists the flags",
		"-Z":                       "unknown shorthand flag: 'Z' in -Z; forge --help lists the flags",
		"debug serve --port 1":     "unknown flag --port; forge debug serve --help lists the flags",
		"debug decode a b":         "forge debug decode needs one FILE, not 2; see forge debug decode --help",
		"debug serve --script x y": "forge debug serve takes no y",
	} {
		_, started, err := parse(strings.Fields(line)...)
		var usage Usage
		if started || !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("forge %s\ngot  %v\nwant %s", line, err, want)
		}
	}
}

// A lone word that is a command of other agents is no prompt: forge's own way is named.
func TestWordsFromElsewhere(t *testing.T) {
	for word, said := range wordsElsewhere() {
		_, started, err := parse(word)
		var usage Usage
		if started || !errors.As(err, &usage) || !strings.Contains(err.Error(), said) {
			t.Errorf("forge %s: started %v, %v", word, started, err)
		}
	}
}

// What follows such a word as it would elsewhere is no prompt either; words one could say
// are.
func TestWordsFromElsewhereWithWhatFollows(t *testing.T) {
	for _, args := range [][]string{{"exec", "fix the test"}, {"resume", "0199a3f2-77ab-7c31"}} {
		if _, started, err := parse(args...); started || err == nil || !strings.Contains(err.Error(), wordsElsewhere()[args[0]]) {
			t.Errorf("forge %q: started %v, %v", args, started, err)
		}
	}
	for _, args := range [][]string{{"resume", "reading"}, {"exec", "summary"}, {"cost", "of", "it"}, {"fix the test"}} {
		if _, started, err := parse(args...); !started || err != nil {
			t.Errorf("forge %q: started %v, %v", args, started, err)
		}
	}
}

// The command that writes a shell's completion is listed nowhere else.
func TestHelpNamesCompletion(t *testing.T) {
	var out bytes.Buffer
	root := Root(Options{Version: "test", Out: &out, Err: &out})
	root.SetArgs([]string{"--help"})
	if err := root.Execute(); err != nil || !strings.Contains(out.String(), "forge completion bash") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	root.SetArgs([]string{"completion", "bash"})
	if err := root.Execute(); err != nil || !strings.Contains(out.String(), "__start_forge") {
		t.Errorf("%v\n%.200s", err, out.String())
	}
}

func TestMoneyAndTokens(t *testing.T) {
	for n, want := range map[int]string{0: "?", 999: "999", 4096: "4k", 128_000: "128k", 1_000_000: "1M", 1_048_576: "1.05M"} {
		if got := Tokens(n); got != want {
			t.Errorf("%d tokens are %q, want %q", n, got, want)
		}
	}
	for want, p := range map[string]provider.Price{
		"?":            {},
		"free":         {Known: true},
		"$0.4 / $1.6":  {Input: 0.39999999999999997, Output: 1.5999999999999999, Known: true},
		"$0.0375 / $3": {Input: 0.0375, Output: 3, Known: true},
	} {
		if got := Price(p); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}
