package lesson

import "gopkg.in/yaml.v3"

// valueOf is what a mapping has under key, nil where it has nothing.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// with is mapping with the keys of over in the place of its own. Either may be nil.
func with(mapping, over *yaml.Node) *yaml.Node {
	merged := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if over != nil {
		merged.Line = over.Line
	}
	for i := 0; mapping != nil && i+1 < len(mapping.Content); i += 2 {
		if valueOf(over, mapping.Content[i].Value) == nil {
			merged.Content = append(merged.Content, mapping.Content[i:i+2]...)
		}
	}
	if over != nil {
		merged.Content = append(merged.Content, over.Content...)
	}
	return merged
}
