package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"forge/sorting"
	"forge/tools"
)

// A formField is one field of a form.
type formField struct {
	name     string
	required bool
	s        fieldSchema
}

type fieldSchema struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []titled        `json:"oneOf"`
	MinLength   *int            `json:"minLength"`
	MaxLength   *int            `json:"maxLength"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinItems    *int            `json:"minItems"`
	MaxItems    *int            `json:"maxItems"`
	Items       *struct {
		Enum  []string `json:"enum"`
		AnyOf []titled `json:"anyOf"`
		OneOf []titled `json:"oneOf"`
	} `json:"items"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// parseForm reads the fields of a form: those that are required first, then by name,
// since a JSON object has no order.
func parseForm(schema json.RawMessage) ([]formField, error) {
	if schema == nil {
		return nil, nil
	}
	var s struct {
		Properties map[string]fieldSchema `json:"properties"`
		Required   []string               `json:"required"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("the form cannot be read: %w", err)
	}
	var out []formField
	for name, f := range s.Properties {
		out = append(out, formField{name: name, required: slices.Contains(s.Required, name), s: f})
	}
	sorting.By(out, func(a, b formField) int {
		if a.required != b.required {
			if a.required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return out, nil
}

// options are the values a field can have, with their titles; none: any.
func (f formField) options() (values, titles []string) {
	list := f.s.OneOf
	values = f.s.Enum
	if f.s.Items != nil {
		values, list = f.s.Items.Enum, append(f.s.Items.AnyOf, f.s.Items.OneOf...)
	}
	titles = slices.Clone(values)
	if len(f.s.EnumNames) == len(values) {
		titles = slices.Clone(f.s.EnumNames)
	}
	for _, t := range list {
		values, titles = append(values, t.Const), append(titles, firstOf(t.Title, t.Const))
	}
	return values, titles
}

// field is the field as a dialog shows it.
func (f formField) field() tools.Field {
	out := tools.Field{Name: f.name, Label: oneLine(firstOf(f.s.Title, f.name), 200), Note: f.note(), Default: f.initial(), Required: f.required, Many: f.s.Type == "array",
		Check: func(text string) error { _, err := f.value(text); return err }}
	if f.s.Type == "boolean" {
		out.Options = []tools.Option{{Value: "yes"}, {Value: "no"}}
		return out
	}
	values, titles := f.options()
	for i, v := range values {
		out.Options = append(out.Options, tools.Option{Value: v, Label: oneLine(titles[i], 100)})
	}
	return out
}

// note is what is to be known of a field beside its name: its description, and what
// it takes.
func (f formField) note() string {
	var parts []string
	if d := f.s.Description; d != "" && d != f.s.Title {
		parts = append(parts, oneLine(d, 400))
	}
	switch values, _ := f.options(); {
	case len(values) > 0 || f.s.Type == "boolean":
	case f.s.Type == "integer":
		parts = append(parts, "a whole number")
	case f.s.Type == "number":
		parts = append(parts, "a number")
	case f.s.Format == "email":
		parts = append(parts, "an e-mail address")
	case f.s.Format == "uri":
		parts = append(parts, "an address such as https://example.org")
	case f.s.Format == "date":
		parts = append(parts, "a date such as 2026-01-31")
	case f.s.Format == "date-time":
		parts = append(parts, "a time such as 2026-01-31T12:00:00Z")
	}
	return strings.Join(parts, "; ")
}

// oneLine is a server's text for one row.
func oneLine(s string, most int) string {
	return strings.Join(strings.Fields(clip(clean(s), most)), " ")
}

// mustHold says whether a required field needs more than being there: an empty text
// is a text.
func (f formField) mustHold() bool {
	return f.s.Type != "string" || f.s.MinLength != nil && *f.s.MinLength > 0 || len(f.s.Enum)+len(f.s.OneOf) > 0
}

// initial is the text a field begins with.
func (f formField) initial() string {
	if f.s.Default == nil {
		return ""
	}
	var b bool
	var list []string
	switch {
	case json.Unmarshal(f.s.Default, &b) == nil && f.s.Type == "boolean":
		if b {
			return "yes"
		}
		return "no"
	case json.Unmarshal(f.s.Default, &list) == nil:
		return strings.Join(list, "\n")
	}
	return clean(unquote(f.s.Default))
}

// fill turns what was typed into what the server wants, or says what is wrong.
func fill(form []formField, typed map[string]string) (map[string]any, error) {
	out := map[string]any{}
	for _, f := range form {
		text, given := typed[f.name]
		if !given {
			text = f.initial()
		}
		if f.s.Type != "string" || len(f.s.Enum)+len(f.s.OneOf) > 0 {
			text = strings.TrimSpace(text)
		}
		if text == "" {
			if f.required && f.mustHold() {
				return nil, fmt.Errorf("%s is empty", f.name)
			}
			if f.required && f.s.Type == "string" {
				out[f.name] = ""
			}
			continue
		}
		v, err := f.value(text)
		if err != nil {
			return nil, fmt.Errorf("%s %w", f.name, err)
		}
		out[f.name] = v
	}
	return out, nil
}

// pieces are the values in a text: one a line, or with commas between, where a comma
// is no part of a value.
func pieces(text string, values []string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if slices.Contains(values, line) {
			out = append(out, line)
			continue
		}
		for p := range strings.SplitSeq(line, ",") {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}

func (f formField) value(text string) (any, error) {
	values, titles := f.options()
	pick := func(s string) (string, error) {
		if i := slices.Index(values, s); i >= 0 {
			return s, nil
		}
		for i, t := range titles {
			if strings.EqualFold(t, s) || strings.EqualFold(values[i], s) {
				return values[i], nil
			}
		}
		return "", fmt.Errorf("is none of %s", strings.Join(values, ", "))
	}
	switch f.s.Type {
	case "boolean":
		switch strings.ToLower(text) {
		case "yes", "y", "true", "1", "on":
			return true, nil
		case "no", "n", "false", "0", "off":
			return false, nil
		}
		return nil, errors.New("must be yes or no")
	case "integer", "number":
		n, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
			return nil, errors.New("is no number")
		case f.s.Type == "integer" && n != math.Trunc(n):
			return nil, errors.New("must be a whole number")
		case f.s.Minimum != nil && n < *f.s.Minimum:
			return nil, fmt.Errorf("must be at least %g", *f.s.Minimum)
		case f.s.Maximum != nil && n > *f.s.Maximum:
			return nil, fmt.Errorf("must be at most %g", *f.s.Maximum)
		case f.s.Type == "integer" && math.Abs(n) < 1<<53:
			return int64(n), nil
		}
		return n, nil
	case "array":
		list := []string{}
		for _, p := range pieces(text, values) {
			v, err := pick(p)
			if err != nil {
				return nil, fmt.Errorf("has %q, which %w", p, err)
			}
			list = append(list, v)
		}
		if f.s.MinItems != nil && len(list) < *f.s.MinItems {
			return nil, fmt.Errorf("needs at least %d", *f.s.MinItems)
		}
		if f.s.MaxItems != nil && len(list) > *f.s.MaxItems {
			return nil, fmt.Errorf("takes at most %d", *f.s.MaxItems)
		}
		return list, nil
	}
	if len(values) > 0 {
		return pick(text)
	}
	n := utf8.RuneCountInString(text)
	switch {
	case f.s.MinLength != nil && n < *f.s.MinLength:
		return nil, fmt.Errorf("needs at least %d letters", *f.s.MinLength)
	case f.s.MaxLength != nil && n > *f.s.MaxLength:
		return nil, fmt.Errorf("takes at most %d letters", *f.s.MaxLength)
	}
	switch f.s.Format {
	case "email":
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return nil, errors.New("is no e-mail address")
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || u.Scheme == "" {
			return nil, errors.New("is no address such as https://example.org")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, errors.New("is no date such as 2026-01-31")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return nil, errors.New("is no time such as 2026-01-31T12:00:00Z")
		}
	}
	return text, nil
}
