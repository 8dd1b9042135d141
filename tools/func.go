package tools

import (
	"context"
	"fmt"
	"reflect"
)

// Func makes a Tool from a function over typed arguments. In is a struct: its tags
// give the schema (see SchemaOf), and a call's input is decoded into it strictly
// (see Decode) before prepare sees it. It panics if In cannot be described, which
// is a mistake in the program that its first test finds.
func Func[In any](name, description string, prepare func(ctx context.Context, call Call, in In) (*Invocation, error)) Tool {
	schema, err := SchemaOf(reflect.TypeFor[In]())
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return &typed[In]{Spec{Name: name, Description: description, Schema: schema}, prepare}
}

type typed[In any] struct {
	spec    Spec
	prepare func(context.Context, Call, In) (*Invocation, error)
}

func (t *typed[In]) Spec() Spec { return t.spec }

func (t *typed[In]) Prepare(ctx context.Context, call Call) (*Invocation, error) {
	var in In
	if err := Decode(call, &in); err != nil {
		return nil, err
	}
	return t.prepare(ctx, call, in)
}
