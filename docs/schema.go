// Package docs holds the schemas that docs/ publishes, for the program that checks documents by them.
package docs

import _ "embed"

// LessonSchema is the JSON Schema of a lesson's plan.
//
//go:embed lesson.schema.json
var LessonSchema []byte
