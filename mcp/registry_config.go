package mcp

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"forge/lazy"
)

// runners are the programs that fetch and start the packages of a registry. What an
// entry itself says of a program is not followed: it would name any.
var runners = lazy.Value[map[string]func(id, version string, before, env []string) []string]{Of: func() map[string]func(id, version string, before, env []string) []string {
	return map[string]func(id, version string, before, env []string) []string{
		"npm": func(id, version string, before, _ []string) []string {
			return slices.Concat([]string{"npx", "-y"}, without(before, "-y", "--yes"), []string{at(id, version, "@")})
		},
		"pypi": func(id, version string, before, _ []string) []string {
			return slices.Concat([]string{"uvx"}, before, []string{at(id, version, "@")})
		},
		"oci": func(id, version string, before, env []string) []string {
			words := []string{"docker", "run"}
			for _, w := range []string{"-i", "--rm"} {
				if !slices.Contains(before, w) {
					words = append(words, w)
				}
			}
			for _, k := range env {
				words = append(words, "-e", k)
			}
			if last := id[strings.LastIndexByte(id, '/')+1:]; !strings.ContainsAny(last, ":@") {
				id = at(id, version, ":")
			}
			return slices.Concat(words, without(before, "run"), []string{id})
		},
		"nuget": func(id, version string, before, _ []string) []string {
			return slices.Concat([]string{"dnx"}, without(before, "--yes", "-y"), []string{at(id, version, "@"), "--yes", "--"})
		},
	}
}}

func at(id, version, sep string) string {
	if version == "" || version == "latest" {
		return id
	}
	return id + sep + version
}

func without(words []string, drop ...string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(drop, w) })
}

// packageID is what may stand where a package's name is expected. A leading dash
// would be an option of the program that fetches it.
var packageID = lazy.Regexp{Expr: `^[A-Za-z0-9@][A-Za-z0-9@._/:-]*$`}

// Ways tells how a server can be had: by which packages, and by http or sse.
func (e Entry) Ways() []string {
	var out []string
	for _, p := range e.Packages {
		if !slices.Contains(out, p.Registry) {
			out = append(out, p.Registry)
		}
	}
	for _, r := range e.Remotes {
		if t := remoteType(r.Type); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// usual says whether a package comes from where its runner looks for it.
func usual(p entryPackage) bool {
	u, err := url.Parse(p.Base)
	if err != nil {
		return false
	}
	switch h := u.Hostname(); p.Registry {
	case "npm":
		return h == "" || h == "registry.npmjs.org"
	case "pypi":
		return h == "" || h == "pypi.org"
	case "nuget":
		return h == "" || h == "api.nuget.org"
	default: // an image's name holds its host, or it is docker's
		return h == "" || h == "docker.io" || strings.HasPrefix(p.ID, h+"/")
	}
}

func remoteType(t string) string {
	if t == "sse" {
		return t
	}
	return "http"
}

// ShortName is a server's name for its configuration.
func (e Entry) ShortName() string {
	return plainName(e.Name[strings.LastIndexByte(e.Name, '/')+1:])
}

// Config makes a server's configuration as it is to be called name: a package that
// runs here, else an address; kind stdio, http or sse asks for that. words are
// arguments of the person's own, in place of those the entry leaves open. What else
// is left open is taken from the environment, and notes tell which variables that
// are.
func (e Entry) Config(name, kind string, words []string) (c ServerConfig, notes []string, err error) {
	f := filler{name: name}
	if kind == "" || kind == "stdio" {
		for _, p := range e.Packages {
			run := runners.Get()[p.Registry]
			if run == nil || !usual(p) || p.Transport.Type != "" && p.Transport.Type != "stdio" {
				continue
			}
			c, err = f.local(p, run, words)
			return c, f.notes, err
		}
	}
	for _, want := range []string{"http", "sse"} {
		for _, r := range e.Remotes {
			if remoteType(r.Type) != want || kind != "" && kind != want {
				continue
			}
			if len(words) > 0 {
				return c, nil, fmt.Errorf("%s is a server at an address; it takes no arguments", e.Name)
			}
			c, err = f.remote(r)
			return c, f.notes, err
		}
	}
	if ways := e.Ways(); len(ways) > 0 {
		return c, nil, fmt.Errorf("%s comes as %s only, which cannot be added like this; its page %s may say more", e.Name, strings.Join(ways, ", "), orNone(e.Repository.URL))
	}
	return c, nil, fmt.Errorf("the registry does not say how %s is started", e.Name)
}

// A filler makes texts of an entry's inputs.
type filler struct {
	name  string // of the server
	notes []string
	err   error
}

func (f *filler) local(p entryPackage, run func(id, version string, before, env []string) []string, words []string) (ServerConfig, error) {
	if !packageID.Get().MatchString(p.ID) || p.Version != "" && !packageID.Get().MatchString(p.Version) {
		return ServerConfig{}, fmt.Errorf("%q in version %q is no name of a package", p.ID, p.Version)
	}
	c := ServerConfig{Env: map[string]string{}, Headers: map[string]string{}}
	for _, v := range p.Env {
		if !plainEnv.Get().MatchString(v.Name) {
			return c, fmt.Errorf("%q is no name of a variable", v.Name)
		}
		// The package runs here and reads the variable by its own name.
		if text := f.text(v, v.Name, v.Required); text != "" {
			c.Env[v.Name] = text
		}
	}
	before := f.args(p.Before, false)
	argv := run(p.ID, p.Version, before, slices.Sorted(maps.Keys(c.Env)))
	argv = slices.Concat(argv, f.args(p.After, len(words) > 0), words)
	c.Command, c.Args = argv[0], argv[1:]
	return c, f.err
}

func (f *filler) remote(r entryRemote) (ServerConfig, error) {
	c := ServerConfig{Env: map[string]string{}, Headers: map[string]string{}}
	if r.Type == "sse" {
		c.Type = "sse"
	}
	c.URL = f.text(entryInput{Value: r.URL, Variables: r.Variables}, "", true)
	for _, h := range r.Headers {
		if !headerName.Get().MatchString(h.Name) {
			return c, fmt.Errorf("%q is no name of a header", h.Name)
		}
		if text := f.text(h, f.own(h.Name), h.Required); text != "" {
			c.Headers[h.Name] = text
		}
	}
	return c, f.err
}

// args makes words of arguments. open leaves out the positional ones that only the
// person knows.
func (f *filler) args(in []entryInput, open bool) []string {
	var out []string
	for _, a := range in {
		named := a.Type == "named"
		if open && !named && a.Value == "" {
			continue
		}
		what := a.Name
		if !named {
			what = a.Hint
		}
		text := f.text(a, f.own(what), a.Required)
		if text == "" {
			continue
		}
		if named && a.Name != "" {
			out = append(out, f.safe(a.Name))
		}
		out = append(out, text)
	}
	return out
}

// own is a variable for what an entry wants to know, by a name that only this server
// has: an entry must not be able to name a variable that holds another's key.
func (f *filler) own(what string) string {
	v := strings.Trim(variableName.Get().ReplaceAllString(strings.ToUpper(f.name+"_"+strings.Trim(what, "-")), "_"), "_")
	if v != "" && v[0] <= '9' {
		v = "MCP_" + v // no variable begins with a digit
	}
	return v
}

var (
	variableName = lazy.Regexp{Expr: `[^A-Z0-9_]+`}
	hole         = lazy.Regexp{Expr: `\{([A-Za-z_][A-Za-z0-9_.-]*)\}`}
	headerName   = lazy.Regexp{Expr: `^[A-Za-z0-9-]+$`}
	plainEnv     = lazy.Regexp{Expr: `^[A-Za-z_][A-Za-z0-9_]*$`}
)

// text is what an input is set to; where only the person knows it, and it is
// required, a reference to a variable.
func (f *filler) text(in entryInput, variable string, required bool) string {
	return f.safe(f.raw(in, variable, required))
}

// mark stands around a variable of ours until the rest was looked at.
const mark = "\x00"

var ownMark = lazy.Regexp{Expr: mark + "([^" + mark + "]+)" + mark}

// safe refuses a text that would be read as a reference when it is expanded, also
// one that is put together of harmless parts: it would hand over what is in the
// environment.
func (f *filler) safe(s string) string {
	if strings.Contains(ownMark.Get().ReplaceAllString(s, "x"), "${") {
		f.fail(errors.New("its entry refers to your environment; add it by hand if that is right"))
	}
	return ownMark.Get().ReplaceAllString(s, "$${$1}")
}

func (f *filler) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *filler) raw(in entryInput, variable string, required bool) string {
	if strings.Contains(in.Value+in.Default, mark) {
		f.fail(errors.New("its entry holds a zero byte"))
		return ""
	}
	switch {
	case in.Value != "":
	case in.Default != "":
		return in.Default
	case required:
		return f.reference(variable, in.Description)
	default:
		return ""
	}
	return hole.Get().ReplaceAllStringFunc(in.Value, func(h string) string {
		name := h[1 : len(h)-1]
		v, ok := in.Variables[name]
		if !ok {
			return h
		}
		v.Variables = nil
		return f.raw(v, f.own(name), true)
	})
}

func (f *filler) reference(variable, description string) string {
	if !plainEnv.Get().MatchString(variable) {
		f.fail(fmt.Errorf("%q is no name of a variable", variable))
		return ""
	}
	note := variable
	if d := firstLine(clean(description)); d != "" {
		note += ": " + d
	}
	if !slices.Contains(f.notes, note) {
		f.notes = append(f.notes, note)
	}
	return mark + variable + mark
}
