package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWords(t *testing.T) {
	for typed, want := range map[string][]string{
		"":                           nil,
		"  \n\t ":                    nil,
		"one two":                    {"one", "two"},
		`"one two" three`:            {"one two", "three"},
		`'one two' "th\"ree\\"`:      {"one two", `th"ree\`},
		"don't stop it's me":         {"don't", "stop", "it's", "me"},
		`"never closed`:              {`"never`, "closed"},
		`'tis 'twas`:                 {"'tis", "'twas"},
		`""`:                         {""},
		`say "" now`:                 {"say", "", "now"},
		"审查 \"两 个\"":                 {"审查", "两 个"},
		`"a"b`:                       {`"a"b`},
		"line\nbreak\r\n\"two\nof\"": {"line", "break", "two\nof"},
	} {
		var got []string
		for _, w := range words(typed) {
			got = append(got, w.text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func parsed(t *testing.T, text string) Command {
	t.Helper()
	c, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return c
}

func TestFill(t *testing.T) {
	for _, c := range []struct{ text, typed, want string }{
		{"Review.", "", "Review."},
		{"Review.", "main please", "Review.\n\nmain please"},
		{"Review $ARGUMENTS now.", ` "a b" c `, `Review "a b" c now.`},
		{"Fix #$1 as $2.", `12 "very urgent"`, "Fix #12 as very urgent."},
		{"Fix #$1.", "12 and \"be careful\"", "Fix #12.\n\nand \"be careful\""},
		{"Fix #$1 for $2.", "", "Fix # for ."},
		{"$2 before $1, $1 again", "a b", "b before a, a again"},
		{"$1", "$2 !`rm x` $ARGUMENTS", "$2\n\n!`rm x` $ARGUMENTS"},                        // what is filled in is words
		{`\$1 costs \$ARGUMENTS and \!` + "`x`", "y", "$1 costs $ARGUMENTS and !`x`\n\ny"}, // as it is
		{"$100, $10 and $ARGUMENTS_TOO", "x", "$100, $10 and $ARGUMENTS_TOO\n\nx"},
		{"wow!`ls` and ``!`ls` ``", "", "wow!`ls` and ``!`ls` ``"},
		{"an open !`tick\nand !` `", "", "an open !`tick\nand !` `"},
		{"Look at @main.go and $1.", "x.go", "Look at @main.go and x.go."},
		{"$1", "line one\nline two", "line\n\none\nline two"},
	} {
		cmd := parsed(t, c.text)
		got, err := cmd.Fill(c.typed, nil)
		if err != nil || got != c.want || cmd.Shell() {
			t.Errorf("%q with %q: %q, %v, want %q", c.text, c.typed, got, err, c.want)
		}
	}
}

func TestCommandLines(t *testing.T) {
	c := parsed(t, "State: !`git status -s`\n(!`git log -- $1 \"$2\" $ARGUMENTS`) $3")
	lines, err := c.Runs(`a.go "b c" 'd$x'`)
	want := []string{"git status -s", `git log -- a.go "b c" a.go 'b c' 'd$x'`}
	if err != nil || !slices.Equal(lines, want) || !c.Shell() {
		t.Fatalf("%q, %v", lines, err)
	}
	got, err := c.Fill("a b c", []string{" M x $1", "out !`rm -rf /`"})
	if err != nil || got != "State:  M x $1\n(out !`rm -rf /`) c" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.Fill("a b c", []string{"one"}); err == nil {
		t.Error("an output too few was no error")
	}
	if got := c.Body(); strings.Contains(got, "git") || !strings.Contains(got, "State: ") {
		t.Errorf("body %q", got)
	}
}

// What was typed is a word of the command line, whatever it holds.
func TestArgumentsAreWordsOfALine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	nasty := "a'b\"c $HOME `id` $(id) \\ ; echo no & | > < * ? ~ #\nx"
	for line, want := range map[string]string{
		`echo $1`:                 `echo a`,
		`echo "$1" '$1' \$1`:      `echo "a" '$1' \$1`,
		`awk '{print $1}' $2`:     `awk '{print $1}' b`,
		`echo "it's $1" it\'s $1`: `echo "it's a" it\'s a`,
		`echo $9 "$9" $ARGUMENTS`: `echo  "" a b`,
	} {
		got, err := inLine(line, "a b", words("a b"))
		if err != nil || got != want {
			t.Errorf("%s: %s, %v", line, got, err)
		}
	}
	for _, line := range []string{"printf %s $1", `printf %s "$1"`, "printf %s $ARGUMENTS", `printf %s "$ARGUMENTS"`} {
		got, err := inLine(line, nasty, []word{{nasty, len(nasty)}})
		if err != nil {
			t.Fatal(err)
		}
		if out := shellOf(t, got); out != nasty {
			t.Errorf("%s printed %q, want %q", got, out, nasty)
		}
	}
	for _, line := range []string{`echo "$(echo $1)"`, "cat <<x\n$1", "echo ${x:-$1}", "diff <(echo $1) x"} {
		if got, err := inLine(line, "x; id", words("x; id")); err == nil {
			t.Errorf("%s became %s", line, got)
		}
		if got, err := inLine(line, "main", words("main")); err != nil || !strings.Contains(got, "main") {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
}

func shellOf(t *testing.T, line string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}

func TestParse(t *testing.T) {
	c := parsed(t, "\xef\xbb\xbf---\r\ndescription: Reviews: what changed\r\nargument-hint: [pr] [who]\r\nallowed-tools: Bash(*), Write\r\nmodel: big\r\nagent: build\r\n---\r\n\r\n# Review\r\nof $1\r\n")
	if c.About != "Reviews: what changed" || c.Hint != "[pr] [who]" {
		t.Errorf("%+v", c)
	}
	if got, err := c.Fill("7", nil); got != "# Review\nof 7" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if c = parsed(t, "# Tidy up\n\nEverything."); c.About != "Tidy up" || c.Hint != "" {
		t.Errorf("without settings: %+v", c)
	}
	if c = parsed(t, "---\nargument-hint: [a] and more\n---\n"+strings.Repeat("x", 1000)); c.Hint != "[a] and more" || len(c.About) > maxAbout+5 {
		t.Errorf("%q, %d bytes about it", c.Hint, len(c.About))
	}
	for text, want := range map[string]string{
		"":                             "there is no text",
		" \n":                          "there is no text",
		"---\ndescription: x\n---\n\n": "there is no text",
		"---\ndescription: x\nGo on.":  "f.md:3: \"Go on.\" is no setting",
		"---\ndescription: x\n":        "the front matter has no end",
		"---\nno colon\n---\nx":        "f.md:2: \"no colon\" is no setting",
		"---\nmodel: \"x\n---\nx":      "f.md:2: \"x is not quoted",
		"\xff\xfeR\x00":                "no text in UTF-8",
		"caf\xe9":                      "no text in UTF-8",
		"a\x00b":                       "no text in UTF-8",
		"look\n!`ls \u202e-la`":        "f.md:2: a command line in it has characters that nobody would see",
		"!`ls\x1b[8m; id`":             "nobody would see",
		strings.Repeat("x", maxFile+1): "over 256 KiB",
	} {
		_, err := Parse([]byte(text))
		var p Problem
		if !errors.As(err, &p) {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if p.File = "f.md"; !strings.Contains(p.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, p, want)
		}
	}
}

// write makes the files of a folder; a name that ends with a slash is a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func calls(s Set) (out []string) {
	for _, c := range s.Commands {
		out = append(out, c.Call)
	}
	slices.Sort(out)
	return out
}

func problems(s Set) string {
	var out []string
	for _, p := range s.Problems {
		out = append(out, p.Error())
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func inside(t *testing.T, dir string) *os.Root {
	t.Helper()
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestLook(t *testing.T) {
	mine, theirs := t.TempDir(), t.TempDir()
	write(t, mine, map[string]string{
		"commands/review.md": "mine", "commands/help.md": "my help", "commands/Git/Tidy.md": "tidy", "commands/notes.txt": "no command",
		"commands/审查.md": "look", "commands/.git/x.md": "hidden", "commands/broken.md": "---\nx", "commands/big.md": strings.Repeat("x", 1<<20),
		"commands/.md": "no name", "commands/two words.md": "x", "commands/a\u202eb.md": "x", "commands/same.md": "lower",
	})
	write(t, theirs, map[string]string{
		".forge/commands/review.md": "theirs", ".claude/commands/review.md": "older", ".claude/commands/ship/now.md": "---\ndescription: Ships\n---\n!`make ship`",
	})
	s := &Shelf{Sources: []Source{
		{User, os.DirFS(mine), "commands", "~/commands"},
		{Project, inside(t, theirs).FS(), ".forge/commands", ".forge/commands"},
		{Project, inside(t, theirs).FS(), ".claude/commands", ".claude/commands"},
	}}
	set := s.Look()
	set.Settle(func(n string) bool { return n == "help" })
	want := []string{"git:tidy", "project:review", "review", "same", "ship:now", "user:help", "审查"}
	if got := calls(set); !slices.Equal(got, want) {
		t.Errorf("commands %q", got)
	}
	told := problems(set)
	for _, part := range []string{
		"~/commands/.md: it has no name", `two words" is no name`, "~/commands/broken.md:2: ", "~/commands/big.md: it is over 256 KiB",
		"~/commands/help.md: /help is a command of forge; /user:help means this one",
		".forge/commands/review.md: /review is ~/commands/review.md; /project:review means this one",
		".claude/commands/review.md: /review is .forge/commands/review.md already; this one is left out",
	} {
		if !strings.Contains(told, part) {
			t.Errorf("not told: %s\nin\n%s", part, told)
		}
	}
	if n := strings.Count(told, "\n") + 1; n != 8 {
		t.Errorf("%d problems:\n%s", n, told)
	}
	for word, file := range map[string]string{"review": "~/commands/review.md", "user:review": "~/commands/review.md", "project:review": ".forge/commands/review.md",
		"REVIEW": "~/commands/review.md", "user:help": "~/commands/help.md", "git:tidy": "~/commands/Git/Tidy.md", "help": "", "user:git:tidy": "~/commands/Git/Tidy.md", "project:help": ""} {
		if c, ok := set.Find(word); c.File != file || ok != (file != "") {
			t.Errorf("/%s is %q", word, c.File)
		}
	}
	if p, ok := set.Broken("broken"); !ok || p.Line != 2 {
		t.Errorf("broken: %v", p)
	}
	// What changed is read again, what went is gone, what came is there.
	write(t, mine, map[string]string{"commands/review.md": "---\ndescription: Another one\n---\nx", "commands/new.md": "new"})
	if err := os.Remove(filepath.Join(mine, "commands", "same.md")); err != nil {
		t.Fatal(err)
	}
	set = s.Look()
	set.Settle(func(n string) bool { return n == "help" })
	if c, _ := set.Find("review"); c.About != "Another one" {
		t.Errorf("review is still about %q", c.About)
	}
	if got := calls(set); slices.Contains(got, "same") || !slices.Contains(got, "new") {
		t.Errorf("commands %q", got)
	}
}

// lockedFS is a folder with a file that cannot be opened for now.
type lockedFS struct {
	fs.FS
	locked *bool
}

func (l lockedFS) Open(name string) (fs.File, error) {
	if *l.locked && strings.HasSuffix(name, ".md") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

func (l lockedFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.FS, name) }

// A file that could not be read is tried again, though it looks as it did.
func TestLookReadsAgain(t *testing.T) {
	locked := true
	s := &Shelf{Sources: []Source{{User, lockedFS{fstest.MapFS{"c/x.md": {Data: []byte("x")}}, &locked}, "c", "c"}}}
	if set := s.Look(); problems(set) != "c/x.md: permission denied" || len(set.Commands) != 0 {
		t.Errorf("%v, %s", set.Commands, problems(set))
	}
	locked = false
	if set := s.Look(); len(set.Problems) != 0 || len(set.Commands) != 1 {
		t.Errorf("%v, %s", set.Commands, problems(set))
	}
}

func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret.md": "secret", "more/other.md": "other"})
	write(t, dir, map[string]string{"commands/ok.md": "ok", "docs/shared.md": "shared", "docs/deep/x.md": "x"})
	for name, to := range map[string]string{"out.md": filepath.Join(outside, "secret.md"), "outdir": filepath.Join(outside, "more"), "gone.md": "nowhere.md",
		"shared.md": "../docs/shared.md", "docs": "../docs", "loop": ".", "again.md": "again.md"} {
		if err := os.Symlink(to, filepath.Join(dir, "commands", name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	s := &Shelf{Sources: []Source{{Project, inside(t, dir).FS(), "commands", "commands"}}}
	set := s.Look()
	set.Settle(func(string) bool { return false })
	if got, want := calls(set), []string{"docs:deep:x", "docs:shared", "ok", "shared"}; !slices.Equal(got, want) {
		t.Errorf("commands %q", got)
	}
	told := problems(set)
	for _, name := range []string{"commands/out.md: it is a link", "commands/gone.md: it is a link", "commands/again.md: it is a link", "commands/loop: it is a link to a folder it lies in"} {
		if !strings.Contains(told, name) {
			t.Errorf("not told: %s\nin\n%s", name, told)
		}
	}
	// The whole folder leads out.
	if err := os.Symlink(outside, filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	s = &Shelf{Sources: []Source{{Project, inside(t, dir).FS(), "elsewhere", "elsewhere"}, {Project, inside(t, dir).FS(), "none", "none"}}}
	if set = s.Look(); len(set.Commands) != 0 || len(set.Problems) != 1 {
		t.Errorf("%v, %s", set.Commands, problems(set))
	}
	// The person's own folder may be full of links: it is theirs.
	s = &Shelf{Sources: []Source{{User, os.DirFS(dir), "elsewhere", "elsewhere"}}}
	set = s.Look()
	set.Settle(func(string) bool { return false })
	if got, want := calls(set), []string{"more:other", "secret"}; !slices.Equal(got, want) {
		t.Errorf("commands %q", got)
	}
}

func TestBounds(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{strings.Repeat("d/", maxDepth+3) + "deep.md": "x"}
	for i := range maxFiles + 5 {
		files[fmt.Sprintf("c%04d.md", i)] = "x"
	}
	write(t, filepath.Join(dir, "commands"), files)
	set := (&Shelf{Sources: []Source{{User, os.DirFS(dir), "commands", "commands"}}}).Look()
	if told := problems(set); len(set.Commands) != maxFiles || !strings.Contains(told, "too many commands") || !strings.Contains(told, "8 deep") {
		t.Errorf("%d commands, %s", len(set.Commands), told)
	}
	write(t, dir, map[string]string{"file": "no folder"})
	set = (&Shelf{Sources: []Source{{User, os.DirFS(dir), "file", "file"}}}).Look()
	if told := problems(set); told != "file: it is no folder" {
		t.Errorf("%q", told)
	}
}

func TestTyped(t *testing.T) {
	for line, want := range map[string][2]string{
		"/review":           {"review", ""},
		"/Review  a  b ":    {"review", "a  b"},
		"/git:tidy\nx":      {"git:tidy", "x"},
		"/审查 x":             {"审查", "x"},
		"/v1_a-b":           {"v1_a-b", ""},
		"/etc/hosts":        {},
		"/":                 {},
		"/ x":               {},
		"review":            {},
		"/a.b":              {},
		"/x\u202e":          {},
		"//":                {},
		"/path/to/file now": {},
	} {
		name, args, ok := Typed(line)
		if name != want[0] || args != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: %q %q %v", line, name, args, ok)
		}
	}
}

// Whatever stands in a file, it is a command or an error, and filling it in loses none of
// what was typed.
func FuzzParse(f *testing.F) {
	f.Add("---\ndescription: d\n---\nP $1 !`ls $ARGUMENTS`", "a 'b c'")
	f.Add("!`a \"$1", "x")
	f.Add("\\$1$1$$1", "\"")
	f.Fuzz(func(t *testing.T, text, typed string) {
		c, err := Parse([]byte(text))
		if err != nil {
			return
		}
		lines, err := c.Runs(typed)
		if err != nil {
			return
		}
		got, err := c.Fill(typed, make([]string, len(lines)))
		if err != nil {
			t.Errorf("%q with %q: %v", text, typed, err)
		}
		if !strings.Contains(text, "$") && !strings.HasSuffix(got, strings.TrimSpace(typed)) {
			t.Errorf("%q with %q lost words: %q", text, typed, got)
		}
	})
}
