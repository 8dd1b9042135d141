package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"forge/tools"
)

// ToolName is what the tool is called.
const ToolName = "skill"

type input struct {
	Name string `json:"name" description:"one of the list"`
}

// Tool returns the tool by which a model loads a skill. offered are those it is told of; load
// reads one as it is now, and asks whom it has to. It returns the text as Skill.Text has it.
func Tool(offered []Skill, load func(ctx context.Context, name string) (string, error)) tools.Tool {
	var names []string
	for _, k := range offered {
		names = append(names, k.Name)
	}
	about := "Load a skill: the user's instructions for a kind of task. If the task fits one, load it before you begin and follow it, as far as the user's own words and permissions allow; else load none. " +
		"Its folder can be read. There are:" + list(offered)
	return tools.Func(ToolName, about, func(_ context.Context, _ tools.Call, in input) (*tools.Invocation, error) {
		name := strings.TrimPrefix(strings.TrimSpace(in.Name), "/")
		if name == "" {
			return nil, errors.New("skill: name is empty; give one of the list")
		}
		title := "skill " + clip(plain(name), maxName)
		return &tools.Invocation{
			Effect: tools.Effect{Kind: tools.Read, Title: title},
			Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
				text, err := load(ctx, name)
				if errors.Is(err, ErrNone) {
					err = fmt.Errorf("skill: %w named %q", ErrNone, clip(plain(name), maxName))
					if near := tools.Nearest(strings.ToLower(name), slices.Clone(names), 3); len(near) > 0 {
						err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, ", "))
					}
				}
				if err != nil {
					return tools.Result{}, err
				}
				return tools.Result{Text: text}, nil
			},
		}, nil
	})
}

// ErrNone is the error of a name that no skill has.
var ErrNone = errors.New("there is no skill")
