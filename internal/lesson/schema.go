package lesson

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"gopkg.in/yaml.v3"

	"pooler-lab/docs"
	"pooler-lab/internal/wording"
)

// Parts of the schema that something can be checked against.
const (
	schemaOfPlan       = "lesson.schema.json"
	schemaOfExperiment = "lesson.schema.json#/$defs/whole" // with what it has from the defaults
	schemaOfAtMost     = "lesson.schema.json#/$defs/at_most"
)

// compiler knows the published schema of plans.
var compiler = sync.OnceValue(func() *jsonschema.Compiler {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(docs.LessonSchema))
	c := jsonschema.NewCompiler()
	if err = errors.Join(err, c.AddResource(schemaOfPlan, schema)); err != nil {
		panic(fmt.Sprintf("docs/lesson.schema.json: %v", err)) // it is part of the program
	}
	return c
})

// compiling is held while the compiler compiles: it isn't made for several at once, as the console's pages are.
var compiling sync.Mutex

// compiled is a part of the schema, by its address.
func compiled(part string) *jsonschema.Schema {
	compiling.Lock()
	defer compiling.Unlock()
	return compiler().MustCompile(part)
}

// check returns an error where part of the schema refuses node: with the line of file where there is a file.
func check(file, part string, node *yaml.Node) error {
	var value any
	if err := node.Decode(&value); err != nil { // a key that stands twice, too: one of them would be lost
		return fmt.Errorf("%s: %w", file, err)
	}
	var refused *jsonschema.ValidationError
	if err := compiled(part).Validate(value); !errors.As(err, &refused) {
		return err
	}
	first, location := firstOf(refused)
	where, at, line := place(node, location)
	text := where + reason(first, at)
	if file == "" {
		return errors.New(text)
	}
	return fmt.Errorf("%s:%d: %s", file, line, text)
}

// firstOf is the error that says most precisely what is wrong, and where: at a key that can't be there, or at what
// stands under one.
func firstOf(err *jsonschema.ValidationError) (first *jsonschema.ValidationError, location []string) {
	for {
		if len(err.InstanceLocation) > len(location) {
			location = err.InstanceLocation
		}
		switch k := err.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			return err, append(slices.Clone(location), slices.Min(k.Properties))
		case *kind.AnyOf:
			return err, location
		case *kind.PropertyNames:
			location = append(slices.Clone(location), k.Property)
		}
		if len(err.Causes) == 0 {
			return err, location
		}
		err = err.Causes[0]
	}
}

// place is a location in words, what stands there, and its line.
func place(node *yaml.Node, location []string) (words string, at *yaml.Node, line int) {
	line = node.Line
	for _, step := range location {
		if i, err := strconv.Atoi(step); err == nil && node.Kind == yaml.SequenceNode && i < len(node.Content) {
			node = node.Content[i]
			if name := valueOf(node, "name"); name != nil && node.Kind == yaml.MappingNode {
				words += name.Value + ": "
			}
		} else if value := valueOf(node, step); value != nil {
			node = value
			words += step + ": "
		}
		line = max(line, node.Line) // what a full size or the command line added has none
	}
	return words, node, line
}

// typeNames are the schema's names of types in words.
var typeNames = map[string]string{"array": "a list", "boolean": "true or false", "integer": "a whole number",
	"null": "nothing", "number": "a number", "object": "a set of keys", "string": "a text"}

// wrongType says what stands at a place, and what should.
func wrongType(k *kind.Type, at *yaml.Node) string {
	var wanted []string
	for _, name := range k.Want {
		wanted = append(wanted, typeNames[name])
	}
	what := typeNames[k.Got]
	if at.Kind == yaml.ScalarNode {
		what = strconv.Quote(at.Value)
	}
	return fmt.Sprintf("%s stands there, it must be %s", what, strings.Join(wanted, " or "))
}

// refused is what is said of a key that has no place.
const refused = "it can't stand here"

// reason says why the schema refuses what stands at a place.
func reason(err *jsonschema.ValidationError, at *yaml.Node) string {
	if strings.HasSuffix(err.SchemaURL, "/percent") {
		return noPercent(at.Value).Error()
	}
	switch k := err.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		known := slices.Sorted(maps.Keys(compiled(err.SchemaURL).Properties))
		return wording.Unknown("key", slices.Min(k.Properties), known).Error()
	case *kind.Enum:
		var allowed []string
		for _, w := range k.Want {
			allowed = append(allowed, fmt.Sprint(w))
		}
		return wording.Unknown("word", fmt.Sprint(k.Got), allowed).Error()
	case *kind.FalseSchema:
		return refused
	case *kind.Required:
		return "it needs " + strings.Join(k.Missing, " and ")
	case *kind.AnyOf:
		return "it needs " + strings.Join(missing(err), " or ")
	case *kind.Const:
		return fmt.Sprintf("%q stands there, it must be milliseconds or %v", k.Got, k.Want)
	case *kind.Type:
		return wrongType(k, at)
	case *kind.MinItems:
		return fmt.Sprintf("it has %d entries, it needs %d", k.Got, k.Want)
	case *kind.MinLength, *kind.MinProperties:
		return "it is empty"
	case *kind.Pattern: // the schema's description says what would be right
		return fmt.Sprintf("%q can't stand here. %s", k.Got, compiled(err.SchemaURL).Description)
	case *kind.Minimum:
		return fmt.Sprintf("%s is too small, it must be %s at least", number(k.Got), number(k.Want))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s is too small, it must be more than %s", number(k.Got), number(k.Want))
	case *kind.MultipleOf:
		return fmt.Sprintf("%q stands there, it must be a multiple of %s", at.Value, k.Want.FloatString(3))
	case *kind.Maximum:
		return fmt.Sprintf("%s is too large, it must be %s at most", number(k.Got), number(k.Want))
	case *kind.Not:
		return "that name has a meaning of its own. " + compiled(err.SchemaURL).Description
	}
	return err.BasicOutput().Error.String() // what only the author of a plan meets is in the library's words
}

func number(r *big.Rat) string { return strings.TrimSuffix(r.FloatString(2), ".00") }

// missing are the keys of which one is needed.
func missing(anyOf *jsonschema.ValidationError) (keys []string) {
	for _, cause := range anyOf.Causes {
		if k, ok := cause.ErrorKind.(*kind.Required); ok {
			keys = append(keys, k.Missing...)
		}
	}
	return keys
}
