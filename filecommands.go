package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/agent"
	"forge/agent/command"
	"forge/lazy"
	"forge/tilde"
	"forge/tools"
	"forge/tools/trust"
	"forge/ui"
	"forge/ui/lang"
	"forge/ui/print"
)

// fileCommands are the commands of the person's own and of the project.
type fileCommands struct {
	*forge
	face  *face
	shelf command.Shelf
	open  sync.Once
	root  *os.Root // the workspace, once somebody has looked
}

func (f *forge) fileCommands(face *face) *fileCommands {
	o := &fileCommands{forge: f, face: face}
	f.close = append(f.close, func() {
		o.open.Do(func() {}) // nothing is opened any more
		if o.root != nil {
			o.root.Close()
		}
	})
	return o
}

// projectCommands are the folders of a project that may have commands: forge's, and those
// of another agent.
var projectCommands = []string{".forge/commands", ".claude/commands"}

// look finds them. Nothing is looked for before somebody wants one.
func (o *fileCommands) look() command.Set {
	o.open.Do(func() {
		mine := filepath.Join(o.dirs.Config, "commands")
		o.shelf.Sources = []command.Source{{Scope: command.User, FS: os.DirFS(o.dirs.Config), Dir: "commands", Show: filepath.ToSlash(tilde.Short(mine))}}
		root, err := os.OpenRoot(o.hands.workspace.Root())
		if err != nil { // it is gone: then so are its commands
			logged("commands of the project not found", err)
			return
		}
		o.root = root
		for _, dir := range projectCommands {
			o.shelf.Sources = append(o.shelf.Sources, command.Source{Scope: command.Project, FS: root.FS(), Dir: dir, Show: dir})
		}
	})
	set := o.shelf.Look()
	set.Commands = append(set.Commands, o.skills.commands()...)
	set.Settle(ui.Taken)
	return set
}

// screen is what the faces that have a person need of them.
func (o *fileCommands) screen() *ui.FromFiles {
	return &ui.FromFiles{List: func(context.Context) command.Set { return o.look() }, Fill: o.fill, Branches: o.branches}
}

// fill makes a prompt of a line. The file is read anew, and exactly that is looked at,
// trusted and sent. say hears of each command line before it runs.
func (o *fileCommands) fill(ctx context.Context, line string, say func(string)) (agent.Prompt, error) {
	name, typed, ok := command.Typed(line)
	switch {
	case ok && name == reviewName:
		return o.review(ctx, line, typed)
	case ok && name == goalName:
		return o.setGoal(ctx, line, typed)
	}
	o.awaitTrust(ctx, say) // what it is about is not asked once more
	if ctx.Err() != nil {
		return agent.Prompt{}, ctx.Err()
	}
	set := o.look()
	c, found := set.Find(name)
	if p, broken := set.Broken(name); !found && broken {
		return agent.Prompt{}, p
	}
	if !ok || !found {
		return agent.Prompt{}, errors.New(lang.T("there is no command /%s any more", name))
	}
	if c.Scope == command.Skill { // what is typed behind it may name files, not what a file says
		text, err := o.skills.load(ctx, c.Name, typed, true)
		return agent.Prompt{Line: line, Text: text, Names: typed}, err
	}
	text, file, err := o.text(c)
	if err != nil {
		return agent.Prompt{}, fmt.Errorf("%s: %w", c.File, err)
	}
	now, err := command.Parse(text)
	if err != nil {
		var p command.Problem
		if errors.As(err, &p) {
			p.File = c.File
			err = p
		}
		return agent.Prompt{}, err
	}
	lines, err := now.Runs(typed)
	if err != nil {
		return agent.Prompt{}, fmt.Errorf("%s: %w", c.File, err)
	}
	if len(lines) > 0 && c.Scope == command.Project {
		if err := o.trusts(ctx, file); err != nil {
			return agent.Prompt{}, err
		}
	}
	outputs, err := o.run(ctx, "/"+c.Call, lines, say)
	if err != nil {
		return agent.Prompt{}, err
	}
	p := agent.Prompt{Line: line}
	if p.Text, err = now.Fill(typed, outputs); err != nil {
		return agent.Prompt{}, err
	}
	// What a command line printed is no wish to have files attached.
	if p.Names, err = now.Fill(typed, make([]string, len(outputs))); err == nil && c.Scope == command.Project {
		p.Names = o.withoutServers(p.Names, typed)
	}
	return p, err
}

// text reads a command's file; of a project's, with what trust in it rests on.
func (o *fileCommands) text(c command.Command) ([]byte, trust.File, error) {
	if c.Scope == command.Project {
		files, err := trust.Find(o.hands.workspace.Root(), []trust.Power{{Path: c.Path, Does: lang.N("runs command lines when you call it")}})
		if err == nil && len(files) != 1 {
			err = errors.New(lang.T("it is gone"))
		}
		if err != nil {
			return nil, trust.File{}, err
		}
		return files[0].Text, files[0], nil
	}
	i := slices.IndexFunc(o.shelf.Sources, func(s command.Source) bool { return s.Scope == c.Scope && strings.HasPrefix(c.Path, s.Dir+"/") })
	text, err := o.shelf.Sources[i].Read(c.Path)
	return text, trust.File{}, err
}

// trusts asks whether a project's file may have its command lines run at all: whether
// each of them may is asked beside that, as for any command.
func (o *fileCommands) trusts(ctx context.Context, file trust.File) error {
	if o.flags.TrustWorkspace {
		return nil
	}
	root, store := o.hands.workspace.Root(), trust.Open(o.dirs.Trust())
	changes, err := store.Changes(root, []trust.File{file})
	switch {
	case err != nil:
		return err
	case len(changes) == 0:
		return nil
	case o.face.turns == nil:
		return errors.New(lang.T("%s runs command lines and is not trusted; read it, then allow it with --trust-workspace", file.Path))
	}
	r, err := o.face.turns.Ask(ctx, trustQuestion(root, changes, nil))
	switch {
	case err != nil:
		return err
	case r.Choice != "trust":
		return errors.New(lang.T("%s is not trusted; nothing was run or sent", file.Path))
	}
	if err := store.Trust(root, []trust.File{file}); err != nil {
		o.tell(lang.T("that this folder is trusted is not kept: %s", err.Error()))
	}
	return nil
}

// wentWell is the last line of what a command that went well printed: it has a time in it,
// which would be another one in every prompt.
var wentWell = lazy.Regexp{Expr: `\n?\[exit code 0, [^\]\n]*\]\n?$`}

// run runs the command lines of a file as run_bash runs a model's: through the one door,
// asked about, refused and confined as any other.
func (o *fileCommands) run(ctx context.Context, name string, lines []string, say func(string)) ([]string, error) {
	if len(lines) > 0 && o.journal != nil {
		o.journal.Begin(o.kept(name))
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			return nil, err
		}
		call := tools.Call{ID: fmt.Sprintf("file-command-%d", i+1), Name: "run_bash", Input: string(input)}
		say(lang.T("%s wants to run: %s", name, line))
		inv, err := o.hands.exec.Prepare(ctx, call)
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), tools.Arrived(""))
			return nil, errors.New(lang.T("%s was not run: %s; nothing was sent", line, text))
		}
		res := o.hands.exec.Run(ctx, call, inv, tools.Watch{}).Result
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case res.Refused:
			return nil, notAllowed{lang.T("%s was not run: %s; nothing was sent", line, o.why(call.ID, res.Text))}
		}
		out[i] = strings.TrimRight(wentWell.Get().ReplaceAllString(res.Text, ""), "\n")
	}
	return out, nil
}

// notAllowed is the error of a line that may not run.
type notAllowed struct{ text string }

func (e notAllowed) Error() string        { return e.text }
func (e notAllowed) Is(target error) bool { return target == print.ErrNotAllowed }

// why says for a person why a call was refused. What the door says of it is meant for a
// model.
func (o *fileCommands) why(call, said string) string {
	said = strings.TrimPrefix(said, "not run: ")
	switch {
	case strings.HasPrefix(said, "the user declined"):
		return lang.T("you declined")
	case strings.Contains(said, unattended):
		way := lang.T("a rule in the settings, or --yolo")
		if o.face.ways != nil && o.face.way(call) != "" {
			way = lang.Said(o.face.way(call))
		}
		return lang.T("nobody is there to be asked; allow it with %s", way)
	}
	return lang.Said(said)
}

// withoutServers is what a project's text names but for what servers have: it may name
// files, which the guard looks at, and only the person may name the rest.
func (o *fileCommands) withoutServers(text, typed string) string {
	theirs := mentions(typed)
	var out []string
	for _, m := range mentions(text) {
		server, _, _ := strings.Cut(m.name, ":")
		if _, known := o.server(server); known && !slices.Contains(theirs, m) {
			continue
		}
		named := `@"` + m.name + `"`
		if m.first > 0 {
			named += ":" + strings.TrimPrefix(m.label(), m.name+":")
		}
		out = append(out, named)
	}
	return strings.Join(out, " ")
}

// headless makes the prompt of a run without a screen out of what was given. What names
// no command is sent as it is.
func (o *fileCommands) headless(ctx context.Context, text string, say func(string)) (agent.Prompt, error) {
	name, _, ok := command.Typed(text)
	if !ok {
		return agent.Prompt{Text: text}, nil
	}
	set := o.look()
	_, found := set.Find(name)
	found = found || name == reviewName || name == goalName
	_, broken := set.Broken(name)
	if found || broken {
		return o.fill(ctx, text, say)
	}
	scope, _, named := strings.Cut(name, ":")
	if named && scope == string(command.Skill) || slices.ContainsFunc(set.Commands, func(c command.Command) bool { return c.Scope != command.Skill }) {
		say(lang.T("there is no command /%s of yours; this is sent as it stands", name))
	}
	return agent.Prompt{Text: text}, nil
}

// The words of agent/command for a person, for lang to find.
var _ = [...]string{
	lang.N("it is over 256 KiB, which is no prompt"), lang.N("it is no text in UTF-8; save it as that"),
	lang.N("there is no text in it; write what the model is to do"),
	lang.N("a command line in it has characters that nobody would see; take them out"),
	lang.N("it is a link that leads nowhere, or out of the folder; it is not followed"),
	lang.N("it is a link to a folder it lies in; it is left out"), lang.N("it is no folder"), lang.N("it is no regular file"),
	lang.N("folders lie more than %d deep here; what is below is left out"), lang.N("there are too many files here; what is behind is left out"),
	lang.N("there are too many commands; this one and those behind it are left out"),
	lang.N("it has no name; a command is called what its file is called"),
	lang.N("%q is no name for a command; letters, digits, - and _ are, 64 bytes at most"),
	lang.N("/%s is %s already; this one is left out"), lang.N("/%s is a command of forge; /%s means this one"), lang.N("/%s is %s; /%s means this one"),
	lang.N("%q cannot be put into the command line %q: in one with $(…), ${…} or << an argument may only have letters, digits and -_./:=@%%+,"),
	lang.N("the front matter has no end; close it with a line of ---"), lang.N("this line is indented and belongs to nothing"),
	lang.N("%q is no setting; write name: value"), lang.N("%s stands in line %d already"), lang.N("%q is no item of a list; begin it with -"),
	lang.N("the list has no ] at its end"), lang.N("%s is not quoted to its end"),
}
