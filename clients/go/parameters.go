package backstep

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Defaulter is implemented by pointers to types of parameters whose members have defaults.
// SetDefaults is called before the parameters are read, so a member that it sets is optional.
type Defaulter interface{ SetDefaults() }

// Validator is implemented by types of parameters, or pointers to them, with rules beyond types.
// An error refuses the parameters: INVALID_PARAMETERS, and the command is not called. An undo is
// not asked, because it must be able to run.
type Validator interface{ Validate() error }

// readParameters reads the parameters of a forward action. All that do not fit are named.
func readParameters(raw json.RawMessage, target any) error {
	if err := read(raw, target, reader{}); err != nil {
		return err
	}
	// The type may itself be a pointer.
	for value := reflect.ValueOf(target); value.Kind() == reflect.Pointer; value = value.Elem() {
		if rules, has := value.Interface().(Validator); has && !value.IsNil() {
			return rules.Validate()
		}
	}
	return nil
}

// readForUndo reads the parameters of an undo: an optional member that does not fit is left out.
func readForUndo(raw json.RawMessage, target any) error {
	return read(raw, target, reader{dropsUnfit: true})
}

// readLeniently reads what fits.
func readLeniently(raw json.RawMessage, target any) error {
	return read(raw, target, reader{dropsUnfit: true, requiresNothing: true})
}

func read(raw json.RawMessage, target any, r reader) error {
	if isNull(raw) {
		raw = json.RawMessage("{}")
	}
	r.value(raw, reflect.ValueOf(target).Elem(), "")
	if len(r.wrong) == 0 {
		return nil
	}
	// People on call see the first line of a message.
	return errors.New(strings.Join(r.wrong, "; "))
}

// reader reads JSON into Go values as encoding/json does, with three differences: names of
// members are taken exactly, a member without a default is required, and all misfits are told.
type reader struct {
	dropsUnfit      bool
	requiresNothing bool
	wrong           []string
}

var (
	readsJSON = reflect.TypeFor[json.Unmarshaler]()
	readsText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value reads one value, whose place is a JSON pointer, and says whether it fits.
func (r *reader) value(raw json.RawMessage, into reflect.Value, place string) bool {
	pointer := reflect.PointerTo(into.Type())
	if pointer.Implements(readsJSON) || pointer.Implements(readsText) {
		return r.leaf(raw, into, place)
	}
	switch into.Kind() {
	case reflect.Pointer:
		if isNull(raw) {
			return true
		}
		made := reflect.New(into.Type().Elem())
		fits := r.value(raw, made.Elem(), place)
		if fits || r.requiresNothing {
			into.Set(made)
		}
		return fits
	case reflect.Struct:
		return r.object(raw, into, place)
	case reflect.Slice:
		if into.Type().Elem().Kind() != reflect.Uint8 {
			return r.list(raw, into, place)
		}
	case reflect.Map:
		if into.Type().Key().Kind() == reflect.String {
			return r.entries(raw, into, place)
		}
	}
	return r.leaf(raw, into, place)
}

func (r *reader) leaf(raw json.RawMessage, into reflect.Value, place string) bool {
	made := reflect.New(into.Type())
	if err := json.Unmarshal(raw, made.Interface()); err != nil {
		return r.misfit(place, "must be "+nameOf(into.Type()))
	}
	into.Set(made.Elem())
	return true
}

func (r *reader) list(raw json.RawMessage, into reflect.Value, place string) bool {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return r.misfit(place, "must be a list")
	}
	fits := true
	made := reflect.MakeSlice(into.Type(), len(parts), len(parts))
	for index, part := range parts {
		fits = r.value(part, made.Index(index), fmt.Sprintf("%s/%d", place, index)) && fits
	}
	into.Set(made)
	return fits
}

func (r *reader) entries(raw json.RawMessage, into reflect.Value, place string) bool {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return r.misfit(place, "must be an object")
	}
	fits := true
	made := reflect.MakeMapWithSize(into.Type(), len(parts))
	for name, part := range parts {
		entry := reflect.New(into.Type().Elem()).Elem()
		fits = r.value(part, entry, place+"/"+escape(name)) && fits
		made.SetMapIndex(reflect.ValueOf(name).Convert(into.Type().Key()), entry)
	}
	into.Set(made)
	return fits
}

func (r *reader) object(raw json.RawMessage, into reflect.Value, place string) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return r.misfit(place, "must be an object")
	}
	if defaults, has := into.Addr().Interface().(Defaulter); has {
		defaults.SetDefaults()
	}
	return r.members(source{members: members}, into, place)
}

func (r *reader) members(from source, into reflect.Value, place string) bool {
	from = from.within(into.Type())
	fits := true
	for index := range into.NumField() {
		field := into.Type().Field(index)
		if embedded := embeddedIn(field); embedded != nil {
			fits = r.embedded(from, into.Field(index), place) && fits
		} else if name, options := memberOf(field); name != "" {
			m := member{place + "/" + escape(name), into.Field(index), options}
			fits = r.member(from.members[name], m) && fits
		}
	}
	return fits
}

// embedded reads an embedded struct. One behind a pointer is made where there is a member of it.
func (r *reader) embedded(from source, into reflect.Value, place string) bool {
	if into.Kind() != reflect.Pointer {
		return r.members(from, into, place)
	}
	name := from.memberFor(into.Type().Elem())
	switch {
	case into.IsNil() && name == "", slices.Contains(from.around, into.Type().Elem()):
		return true
	case into.IsNil() && !into.CanSet():
		return r.dropsUnfit || r.misfit(place+"/"+escape(name), "is of a struct that cannot be made")
	case into.IsNil():
		into.Set(reflect.New(into.Type().Elem()))
	}
	return r.members(from, into.Elem(), place)
}

// source is an object that members of structs are read from.
type source struct {
	members map[string]json.RawMessage
	// around are the structs that the one that is read is embedded in, and itself: none of them is
	// read within itself again.
	around []reflect.Type
}

func (s source) within(t reflect.Type) source {
	return source{s.members, append(slices.Clip(s.around), t)}
}

// memberFor returns the name of a member that goes to a struct; empty: there is none.
func (s source) memberFor(t reflect.Type) string {
	if slices.Contains(s.around, t) {
		return ""
	}
	for index := range t.NumField() {
		name, _ := memberOf(t.Field(index))
		if embedded := embeddedIn(t.Field(index)); embedded != nil {
			name = s.within(t).memberFor(embedded)
		}
		if name != "" && !isNull(s.members[name]) {
			return name
		}
	}
	return ""
}

// memberOf returns the name and the options of the member that goes to a field; empty: none does.
func memberOf(field reflect.StructField) (name, options string) {
	name, options, _ = strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case !field.IsExported() || name == "-" && options == "":
		return "", ""
	case name == "":
		return field.Name, options
	default:
		return name, options
	}
}

// embeddedIn returns the struct whose members are those of the struct that has the field, or nil.
func embeddedIn(field reflect.StructField) reflect.Type {
	t := field.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if !field.Anonymous || name != "" || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// member is a field of a struct that a member of an object goes to.
type member struct {
	place   string
	into    reflect.Value
	options string
}

func (m member) isOptional() bool {
	return strings.Contains(m.options, "omitempty") || strings.Contains(m.options, "omitzero") ||
		m.into.Kind() == reflect.Pointer || !m.into.IsZero()
}

func (r *reader) member(raw json.RawMessage, m member) bool {
	isOptional := r.requiresNothing || m.isOptional()
	if isNull(raw) {
		return isOptional || r.misfit(m.place, "is missing")
	}
	if strings.Contains(m.options, "string") {
		raw = bytes.Trim(raw, `"`)
	}
	if !r.dropsUnfit || !isOptional {
		return r.value(raw, m.into, m.place)
	}
	before := len(r.wrong)
	made := reflect.New(m.into.Type()).Elem()
	if r.value(raw, made, m.place) || r.requiresNothing {
		m.into.Set(made)
	}
	r.wrong = r.wrong[:before]
	return true
}

func (r *reader) misfit(place, rule string) bool {
	if place == "" {
		place = "/"
	}
	r.wrong = append(r.wrong, place+" "+rule)
	return false
}

// nameOf says what a type wants. The value itself is not told: it may be a secret.
func nameOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	default:
		return "a " + t.String()
	}
}

// escape writes a name as a part of a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
