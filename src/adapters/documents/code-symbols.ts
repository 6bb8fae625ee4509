import type { Node } from 'web-tree-sitter';

/** What a node of a syntax tree declares. */
export interface Declaration {
  /** More than one for methods that are written outside of their class. */
  readonly names: readonly string[];
  /** Classes are cut by member if they are long, namespaces always. */
  readonly holds?: { readonly body: Node; readonly always: boolean };
}

const namespaces = new Set([
  'namespace_declaration',
  'namespace_definition',
  'internal_module',
  'module', // of Ruby, and `declare module` of TypeScript
  'mod_item',
]);
const classes = new Set([
  'class_declaration',
  'abstract_class_declaration',
  'class_definition',
  'class',
  'class_specifier',
  'struct_specifier',
  'union_specifier',
  'enum_specifier',
  'interface_declaration',
  'enum_declaration',
  'record_declaration',
  'struct_declaration',
  'trait_declaration',
  'trait_item',
  'impl_item',
]);
const leaves = new Set([
  'function_declaration',
  'function_definition',
  'function_signature',
  'function_signature_item',
  'function_item',
  'generator_function_declaration',
  'method_definition',
  'method_declaration',
  'method_signature',
  'abstract_method_signature',
  'method',
  'singleton_method',
  'constructor_declaration',
  'compact_constructor_declaration',
  'destructor_declaration',
  'operator_declaration',
  'indexer_declaration',
  'delegate_declaration',
  'local_function_statement',
  'type_alias_declaration',
  'type_declaration',
  'type_definition',
  'type_item',
  'struct_item',
  'enum_item',
  'union_item',
  'macro_definition',
  'preproc_function_def',
  'annotation_type_declaration',
]);
/** Nodes around a declaration, such as `export`, decorators, templates. */
const wrappers = new Set([
  'export_statement',
  'decorated_definition',
  'template_declaration',
  'ambient_declaration',
  'expression_statement',
]);
/** Values that have a name by what they are assigned to. */
const callables = new Set([
  'arrow_function',
  'function_expression',
  'function',
  'generator_function',
  'class',
  'lambda',
]);
const variables = new Set([
  'lexical_declaration',
  'variable_declaration',
  'assignment',
  'assignment_expression',
  'public_field_definition',
  'field_definition',
  'const_declaration',
  'var_declaration',
  'const_item',
  'static_item',
  'property_declaration',
]);
const tests = /^(?:describe|context|suite|it|test)(?:\.\w+)*$/;
/** A constant of more lines is a table that people look for by its name. */
const LONG_CONSTANT = 4;
const MAX_NAME = 120;

/** What a node declares; `undefined` for imports, statements and short constants. */
export function declarationOf(node: Node): Declaration | undefined {
  if (wrappers.has(node.type)) {
    for (const child of node.namedChildren) {
      const declared = child && declarationOf(child);
      if (declared) return declared;
    }
    return /^export default\b/.test(node.text) ? { names: ['default'] } : undefined;
  }
  if (node.type === 'call_expression') return testCase(node);
  if (variables.has(node.type)) return variable(node);
  const isNamespace = namespaces.has(node.type);
  if (!isNamespace && !classes.has(node.type) && !leaves.has(node.type)) return undefined;
  const names = namesOf(node);
  if (names.length === 0) return undefined;
  const body = leaves.has(node.type) ? undefined : bodyOf(node);
  // PHP and C#: a line that names the namespace of what follows.
  if (isNamespace && !body) return undefined;
  return { names, ...(body && { holds: { body, always: isNamespace } }) };
}

/** A call such as `describe('…', () => { … })`. */
function testCase(node: Node): Declaration | undefined {
  if (!tests.test(node.childForFieldName('function')?.text ?? '')) return undefined;
  const [name, ...rest] = node.childForFieldName('arguments')?.namedChildren ?? [];
  const callback = rest.at(-1);
  if (!name || !callback || !callables.has(callback.type)) return undefined;
  const body = callback.childForFieldName('body');
  const names = [name.text.replace(/^(["'`])([\s\S]*)\1$/, '$2').slice(0, MAX_NAME)];
  return { names, ...(body && { holds: { body, always: false } }) };
}

/** A variable that holds a function, a class or a long value. */
function variable(node: Node): Declaration | undefined {
  const declarators = node.namedChildren.filter((child) => /declarator$|_spec$/.test(child?.type ?? ''));
  const target = declarators.length === 1 ? (declarators[0] ?? node) : node;
  const value = target.childForFieldName('value') ?? target.childForFieldName('right');
  const isCallable = value !== null && callables.has(value.type);
  const lines = node.endPosition.row - node.startPosition.row + 1;
  if (declarators.length > 1 || (!isCallable && lines < LONG_CONSTANT)) return undefined;
  const name = (
    target.childForFieldName('name') ??
    target.childForFieldName('left') ??
    target.childForFieldName('property')
  )?.text;
  if (name === undefined || !/^[\p{L}_$#][\p{L}\p{N}_$.]*$/u.test(name)) return undefined;
  return { names: name.replace(/^(?:module\.)?exports\./, '').split('.') };
}

function namesOf(node: Node): readonly string[] {
  const receiver = node.childForFieldName('receiver');
  const own = ownName(node);
  if (own === undefined) return [];
  // Go: `func (s *Store) Get()`. Rust: `impl Display for Store`.
  const type = receiver && /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(receiver.text)?.[1];
  return type ? [type, own] : own.split('::').filter((name) => name !== '');
}

function ownName(node: Node): string | undefined {
  if (node.type === 'impl_item') return withoutArguments(node.childForFieldName('type')?.text);
  const spec = node.namedChildren.find(
    (child) => child?.type === 'type_spec' || child?.type === 'type_alias',
  );
  const named =
    node.childForFieldName('name') ??
    spec?.childForFieldName('name') ??
    declared(node.childForFieldName('declarator')) ??
    node.namedChildren.find((child) => /^(?:type_identifier|operator)$/.test(child?.type ?? ''));
  const text = named?.text ?? (node.type === 'indexer_declaration' ? 'this' : undefined);
  return text === undefined
    ? undefined
    : withoutArguments(text.replace(/^(["'])(.*)\1$/, '$2')).slice(0, MAX_NAME);
}

/** C and C++: the name within pointers, references and parameter lists. */
function declared(node: Node | null): Node | null {
  if (!node) return null;
  return declared(node.childForFieldName('declarator') ?? innerDeclarator(node)) ?? node;
}

function innerDeclarator(node: Node): Node | null {
  if (node.type !== 'reference_declarator' && node.type !== 'parenthesized_declarator') return null;
  return node.namedChildren.at(-1) ?? null;
}

function withoutArguments(name: string | undefined): string {
  return (name ?? '').replaceAll(/<[^<>]*>|<.*>/g, '').trim();
}

function bodyOf(node: Node): Node | undefined {
  const body = node.childForFieldName('body');
  if (body) return body;
  return node.namedChildren.find((child) =>
    /(?:_body|block|declaration_list|body_statement)$/.test(child?.type ?? ''),
  );
}
