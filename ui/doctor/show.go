package doctor

import (
	"encoding/json"
	"io"
	"strings"

	"forge/lazy"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// areas are what IDs begin with, as a person reads them.
var areas = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{
		"version":  lang.N("version"),
		"model":    lang.N("model"),
		"key":      lang.N("API keys"),
		"endpoint": lang.N("endpoints"),
		"config":   lang.N("settings"),
		"trust":    lang.N("trust"),
		"terminal": lang.N("terminal"),
		"sandbox":  lang.N("sandbox"),
		"program":  lang.N("programs"),
		"editor":   lang.N("editor"),
		"mcp":      lang.N("MCP servers"),
		"state":    lang.N("state folder"),
		"forge":    lang.N("other forges"),
	}
}}

func areaName(area string) string {
	if name, ok := areas.Get()[area]; ok {
		return lang.T(name)
	}
	return area
}

// marks are what stands before a finding where there are no colours: never the
// colour alone says how bad it is.
func mark(l Level) string {
	switch l {
	case Warn:
		return lang.T("warn")
	case Fail:
		return lang.T("FAIL")
	}
	return lang.T("ok")
}

// Said is a finding that is not in order as lines to be read out; nothing of one that
// is.
func (f Finding) Said() []string {
	if f.Level == Ok {
		return nil
	}
	lines := []string{areaName(f.Area()) + ", " + mark(f.Level) + ": " + safe.Line(f.Text)}
	if f.Fix != "" {
		lines = append(lines, lang.T("what to do: %s", safe.Line(f.Fix)))
	}
	return lines
}

// Summary is the last line: how many findings of which level.
func (r Report) Summary() string {
	fails, warns := r.Count(Fail), r.Count(Warn)
	switch {
	case fails > 0:
		return lang.T("%d to mend, %d to look at, %d in order", fails, warns, r.Count(Ok))
	case warns > 0:
		return lang.T("it works; %d to look at, %d in order", warns, r.Count(Ok))
	}
	return lang.T("all in order: %d checks", r.Count(Ok))
}

// Plain is the report as text for a pipe, a file or a terminal: a line for each
// finding, its fix beneath it, no wrapping and no colours.
func (r Report) Plain() string {
	var b strings.Builder
	wide := 0
	for _, l := range []Level{Ok, Warn, Fail} {
		wide = max(wide, safe.Width(mark(l)))
	}
	area := ""
	for _, f := range r.Findings {
		if f.Area() != area {
			if area != "" {
				b.WriteByte('\n')
			}
			area = f.Area()
			b.WriteString(areaName(area) + "\n")
		}
		m := mark(f.Level)
		b.WriteString("  " + m + safe.Blanks(wide-safe.Width(m)+2) + safe.Line(f.Text) + "\n")
		if f.Fix != "" {
			b.WriteString(safe.Blanks(wide+4) + "-> " + safe.Line(f.Fix) + "\n")
		}
	}
	b.WriteString("\n" + r.Summary() + "\n")
	return b.String()
}

// WriteJSON writes the report for programs. IDs, areas and levels stay what they are
// from version to version; texts are for people and may change.
func (r Report) WriteJSON(w io.Writer) error {
	type finding struct {
		ID    string `json:"id"`
		Area  string `json:"area"`
		Level Level  `json:"level"`
		Text  string `json:"text"`
		Fix   string `json:"fix"`
	}
	out := struct {
		Version  string    `json:"version"`
		Ok       bool      `json:"ok"`
		Fails    int       `json:"fail"`
		Warns    int       `json:"warn"`
		Findings []finding `json:"findings"`
	}{r.Version, r.Well(), r.Count(Fail), r.Count(Warn), []finding{}}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, finding{f.ID, f.Area(), f.Level, safe.Line(f.Text), safe.Line(f.Fix)})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// View draws the report as rows w wide, as many as it takes. What is to be mended
// comes first, then what is to be looked at: nobody has to look for it among the rest.
func (r Report) View(th *theme.Theme, w int) []string {
	rows := []string{th.Strong.Apply(safe.Truncate(r.Summary(), w, th.Glyphs.Ellipsis))}
	for _, l := range []Level{Fail, Warn, Ok} {
		rows = append(rows, r.of(l, th, w)...)
	}
	return rows
}

// of is the findings of one level, area by area.
func (r Report) of(l Level, th *theme.Theme, w int) (rows []string) {
	area := ""
	for _, f := range r.Findings {
		if f.Level != l {
			continue
		}
		if f.Area() != area {
			area = f.Area()
			rows = append(rows, "", th.Strong.Apply(safe.Truncate(areaName(area), w, th.Glyphs.Ellipsis)))
		}
		glyph, style := th.Glyphs.Ok, th.Ok
		switch f.Level {
		case Warn:
			glyph, style = th.Glyphs.Warn, th.Warn
		case Fail:
			glyph, style = th.Glyphs.Fail, th.Error
		}
		for i, l := range safe.Wrap(safe.Line(f.Text), max(4, w-4)) {
			head := "    "
			if i == 0 {
				head = "  " + style.Apply(glyph) + safe.Blanks(max(1, 2-safe.Width(glyph)))
			}
			rows = append(rows, head+th.Text.Apply(l))
		}
		if f.Fix == "" {
			continue
		}
		for i, l := range safe.Wrap(safe.Line(f.Fix), max(4, w-6)) {
			head := "      "
			if i == 0 {
				head = "    " + th.Faint.Apply(th.Glyphs.Rite) + " "
			}
			rows = append(rows, head+th.Muted.Apply(l))
		}
	}
	return rows
}
