package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/agent/export"
	"forge/agent/search"
	"forge/agent/session"
	"forge/ui/lang"
	"forge/ui/safe"
)

// SessionsOptions is what the sessions command needs. Places gives the folder the
// sessions lie in, the one for the search index, and the folder the command is
// about, absolute.
type SessionsOptions struct {
	Places   func(f Flags) (sessions, index, here string, err error)
	Terminal func() bool // somebody can be asked
}

func sessions(o SessionsOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "sessions", Aliases: []string{"session"}, Short: lang.T("List, search, export and delete stored conversations"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	s := &sessionsCommand{o, r}
	c.AddCommand(s.list(), s.show(), s.search(), s.export(), s.imports(), s.rename(), s.remove())
	return c
}

type sessionsCommand struct {
	o SessionsOptions
	*raw
}

func (s *sessionsCommand) places(c *cobra.Command) (dir, index, here string, err error) {
	f, err := s.check(c, nil)
	if err != nil {
		return "", "", "", err
	}
	return s.o.Places(f)
}

// find takes an ID, the beginning or end of one, or a path.
func (s *sessionsCommand) find(c *cobra.Command, id string) (session.Info, error) {
	dir, _, _, err := s.places(c)
	if err != nil {
		return session.Info{}, err
	}
	i, err := session.Find(dir, id)
	if errors.Is(err, os.ErrNotExist) {
		return i, fmt.Errorf(lang.T("no conversation is named %q: forge sessions list shows them"), id)
	}
	return i, err
}

func (s *sessionsCommand) asJSON() bool { return s.json || s.format == "json" }

// sessionJSON is a conversation in --json.
type sessionJSON struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Cwd     string    `json:"cwd"`
	Branch  string    `json:"branch,omitempty"`
	Model   string    `json:"model,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Size    int64     `json:"size"`
	Path    string    `json:"path"`
}

func describeSession(i session.Info) sessionJSON {
	model := strings.TrimPrefix(i.Model.Provider+"/"+i.Model.ID, "/")
	return sessionJSON{i.ID, i.Title, i.Cwd, i.Branch, model, i.Created, i.Updated.UTC(), i.Size, i.Path}
}

func (s *sessionsCommand) list() *cobra.Command {
	var here bool
	c := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: lang.T("List stored conversations, the last used first"), Args: noArgs}
	c.Flags().BoolVar(&here, "here", false, lang.T("only those of this folder"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		dir, _, cwd, err := s.places(c)
		if err != nil {
			return err
		}
		all, err := session.List(dir)
		if err != nil {
			return err
		}
		out := []sessionJSON{}
		for _, i := range all {
			if !here || i.Cwd == cwd {
				out = append(out, describeSession(i))
			}
		}
		if s.asJSON() {
			return printJSON(c.OutOrStdout(), out)
		}
		if len(out) == 0 {
			fmt.Fprintln(c.OutOrStdout(), lang.T("there is no conversation yet"))
			return nil
		}
		var rows [][]string
		for _, i := range out {
			where := i.Cwd
			if i.Branch != "" {
				where += " (" + i.Branch + ")"
			}
			title := safe.Line(safe.Truncate(safe.Line(i.Title), 50, "…"))
			rows = append(rows, []string{i.ID, i.Updated.Local().Format("2006-01-02 15:04"), title, safe.Line(where)})
		}
		return table(c.OutOrStdout(), rows)
	}
	return c
}

func (s *sessionsCommand) show() *cobra.Command {
	c := &cobra.Command{Use: "show ID", Short: lang.T("Show a conversation as text, or what is known of it as JSON"), Args: oneArg("session")}
	c.RunE = func(c *cobra.Command, args []string) error {
		i, err := s.find(c, args[0])
		if err != nil {
			return err
		}
		t, err := export.Read(i)
		if err != nil {
			return err
		}
		if s.asJSON() {
			messages := 0
			for _, r := range t.Records {
				if r.Message != nil {
					messages++
				}
			}
			return printJSON(c.OutOrStdout(), struct {
				sessionJSON
				Messages  int    `json:"messages"`
				InUse     bool   `json:"in_use"`
				CutOff    bool   `json:"cut_off"`
				Version   int    `json:"version"`
				CopiedOff string `json:"copy_of,omitempty"`
			}{describeSession(i), messages, session.InUse(i.Path), leftOf(i.Path).Run, t.Header.Version, t.Header.From})
		}
		return export.Write(c.OutOrStdout(), export.Markdown, t)
	}
	return c
}

func leftOf(path string) session.Left {
	rs, err := session.Tail(path, 256<<10)
	if err != nil {
		return session.Left{}
	}
	return session.Unfinished(rs)
}

// hitJSON is a line of search --json.
type hitJSON struct {
	Session string    `json:"session"`
	Title   string    `json:"title"`
	Cwd     string    `json:"cwd"`
	Seq     int       `json:"seq"`
	Offset  int64     `json:"offset"`
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`
	Excerpt string    `json:"excerpt"`
	Near    bool      `json:"near,omitempty"`
	Path    string    `json:"path"`
}

func (s *sessionsCommand) search() *cobra.Command {
	var exact bool
	limit := 50
	c := &cobra.Command{Use: "search WORDS…", Short: lang.T("Find words in all conversations, tool output included"),
		Long: lang.T(`Find messages, calls and tool output that hold all the words, in either case; words
in one pair of quotes stand together. Where nothing does, words spelled a little
otherwise are found. Exit code 1: nothing was found.`),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return Usage{fmt.Errorf(lang.T("%s needs words to look for"), c.CommandPath())}
			}
			return nil
		}}
	c.Flags().BoolVar(&exact, "exact", false, lang.T("only words as they are spelled"))
	c.Flags().IntVarP(&limit, "limit", "n", limit, lang.T("hits at most"))
	c.RunE = func(c *cobra.Command, args []string) error {
		dir, index, _, err := s.places(c)
		if err != nil {
			return err
		}
		if limit < 1 {
			return Usage{errors.New(lang.T("--limit must be at least 1"))}
		}
		hits, err := search.Index{Sessions: dir, Dir: index}.Search(c.Context(), search.Query{Text: strings.Join(args, " "), Exact: exact, Limit: limit})
		if errors.Is(err, search.ErrNoWords) {
			return Usage{err}
		}
		if err != nil {
			return err
		}
		if s.asJSON() {
			out := []hitJSON{}
			for _, h := range hits {
				out = append(out, hitJSON{h.Session.ID, h.Session.Title, h.Session.Cwd, h.Seq, h.Offset, h.When, h.Who, h.Excerpt, h.Near, h.Session.Path})
			}
			return printJSON(c.OutOrStdout(), out)
		}
		if len(hits) == 0 {
			return errors.New(lang.T("nothing was found"))
		}
		last := ""
		for _, h := range hits {
			if h.Session.ID != last {
				last = h.Session.ID
				fmt.Fprintf(c.OutOrStdout(), "%s  %s\n", h.Session.ID, safe.Line(h.Session.Title))
			}
			near := ""
			if h.Near {
				near = "~ "
			}
			fmt.Fprintf(c.OutOrStdout(), "  %5d %s %s%s\n", h.Seq, safe.Fit(Speaker(h.Who), 8, ""), near, safe.Truncate(safe.Line(h.Excerpt), 160, "…"))
		}
		return nil
	}
	return c
}

// Speaker is who said what a search found, in the language in force.
func Speaker(who string) string { return lang.Said(who) }

// The words of search.Hit.Who, for lang to find.
var _ = [...]string{lang.N("you"), lang.N("model"), lang.N("thinking"), lang.N("call"), lang.N("result"), lang.N("summary")}

func (s *sessionsCommand) export() *cobra.Command {
	var to, as string
	c := &cobra.Command{Use: "export ID", Short: lang.T("Write a conversation as Markdown, HTML or JSON lines"), Args: oneArg("session"),
		Long: lang.T(`Write a conversation for people (Markdown, or an HTML page that needs nothing
beside it) or as the JSON lines it is stored in. forge sessions import reads all of
them: a file with -o holds the lines, packed, in a comment at its end.
What looks like a key is taken out, and so are characters that are no text. Look
at it before you give it away: everything that was read stands in it.`)}
	c.Flags().StringVarP(&to, "output", "o", "", lang.T("write to this new file instead of the terminal"))
	c.Flags().StringVar(&as, "format", "", lang.T("markdown, html or jsonl (default: by the ending of -o, else markdown)"))
	c.RunE = func(c *cobra.Command, args []string) error {
		format := export.Markdown
		var err error
		switch {
		case as != "":
			format, err = export.ParseFormat(as)
		case filepath.Ext(to) != "":
			format, err = export.ParseFormat(filepath.Ext(to))
		}
		if err != nil {
			return Usage{err}
		}
		i, err := s.find(c, args[0])
		if err != nil {
			return err
		}
		t, err := export.Read(i)
		if err != nil {
			return err
		}
		if to == "" {
			return export.Write(c.OutOrStdout(), format, t)
		}
		return export.File(to, format, t)
	}
	return c
}

func (s *sessionsCommand) imports() *cobra.Command {
	c := &cobra.Command{Use: "import FILE", Short: lang.T("Take in a conversation that was exported to a file"), Args: oneArg("file"),
		Long: lang.T(`Take in a conversation that was exported to a file, as Markdown, HTML or JSON
lines, under a new ID. It belongs to this folder (or that of -C) from then on. Of
Markdown and HTML the conversation in the comment at the end counts, not what was
changed in the text. A file that holds no session is refused.`)}
	c.RunE = func(c *cobra.Command, args []string) error {
		dir, _, here, err := s.places(c)
		if err != nil {
			return err
		}
		i, lost, err := export.Import(dir, args[0], here)
		if err != nil {
			return err
		}
		if lost.Lines > 0 {
			fmt.Fprintln(c.ErrOrStderr(), "forge: "+lang.Count(lost.Lines, "1 line could not be read and was left out", "%d lines could not be read and were left out"))
		}
		if lost.Times > 0 {
			fmt.Fprintln(c.ErrOrStderr(), "forge: "+lang.Count(lost.Times, "1 line has no time that can be read: it counts as written with the line before", "%d lines have no time that can be read: they count as written with the line before"))
		}
		if s.asJSON() {
			return printJSON(c.OutOrStdout(), describeSession(i))
		}
		fmt.Fprintf(c.OutOrStdout(), "%s  %s\n", i.ID, safe.Line(i.Title))
		return nil
	}
	return c
}

func (s *sessionsCommand) rename() *cobra.Command {
	c := &cobra.Command{Use: "rename ID NAME", Short: lang.T("Give a conversation a name"), Args: func(c *cobra.Command, args []string) error {
		if len(args) < 2 {
			return Usage{fmt.Errorf(lang.T("%s needs a session and its new name"), c.CommandPath())}
		}
		return nil
	}}
	c.RunE = func(c *cobra.Command, args []string) error {
		i, err := s.find(c, args[0])
		if err != nil {
			return err
		}
		return session.Rename(i.Path, strings.Join(args[1:], " "))
	}
	return c
}

func (s *sessionsCommand) remove() *cobra.Command {
	c := &cobra.Command{Use: "delete ID…", Aliases: []string{"rm", "remove"}, Short: lang.T("Delete conversations for good; asks, or --yes"), Args: func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usage{fmt.Errorf(lang.T("%s needs a session; forge sessions list shows them"), c.CommandPath())}
		}
		return nil
	}}
	c.RunE = func(c *cobra.Command, args []string) error {
		_, index, _, err := s.places(c)
		if err != nil {
			return err
		}
		var found []session.Info
		for _, a := range args { // all of them are known before one is deleted
			i, err := s.find(c, a)
			if err != nil {
				return err
			}
			found = append(found, i)
		}
		if !s.yolo { // --yes is another name of it
			if s.o.Terminal == nil || !s.o.Terminal() {
				return Usage{errors.New(lang.T("nobody can be asked here: give --yes to delete"))}
			}
			for _, i := range found {
				fmt.Fprintf(c.ErrOrStderr(), "%s  %s\n", i.ID, safe.Line(i.Title))
			}
			fmt.Fprintf(c.ErrOrStderr(), lang.T("delete %d for good? [y/N] "), len(found))
			answer, _ := bufio.NewReader(c.InOrStdin()).ReadString('\n')
			if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
				return errors.New(lang.T("nothing was deleted"))
			}
		}
		var errs []error
		for _, i := range found {
			errs = append(errs, session.Remove(i.Path))
			if errs[len(errs)-1] == nil {
				errs = append(errs, search.Index{Dir: index}.Forget(i.ID))
			}
		}
		return errors.Join(errs...)
	}
	return c
}
