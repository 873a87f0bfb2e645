//! The fields of a manifest, as tables: what [`shape`](super::shape) checks, in the order of its reports.
//!
//! Only what this host, or an embedder of it, reads is checked. The platform's own user interface keeps its part
//! under `web`, which is left to it.

use super::shape::{Field, Shape};

/// The types of configuration fields that are known. A field of another one is left out with a warning.
pub(super) const TYPES: [&str; 23] = [
    "string",
    "secret",
    "boolean",
    "number",
    "textarea",
    "rolePolicies",
    "model",
    "provider",
    "section",
    "enum",
    "multiSelect",
    "code",
    "prompt",
    "json",
    "embeddingModel",
    "mcpServers",
    "destination",
    "projects",
    "plugins",
    "tools",
    "models",
    "timezone",
    "tokenList",
];

const TEXT: Shape = Shape::Text { min: 0 };
const NAME: Shape = Shape::Text { min: 1 };
const TEXTS: Shape = Shape::List(&TEXT);

const fn required(key: &'static str, shape: Shape) -> Field {
    Field { key, shape, required: true }
}

const fn optional(key: &'static str, shape: Shape) -> Field {
    Field { key, shape, required: false }
}

/// The whole manifest.
pub(super) const MANIFEST: &[Field] = &[
    required("name", NAME),
    required("version", NAME),
    required("apiVersion", NAME),
    optional("requiresCore", Shape::Version),
    optional("requiresControls", Shape::List(&NAME)),
    optional("requiresSharedApi", Shape::Integer { min: 1 }),
    required("description", TEXT),
    required("entry", NAME),
    optional("label", TEXT),
    optional("provides", Shape::Object(PROVIDES)),
    optional("icons", Shape::Map(&TEXT)),
    optional("showOutput", TEXTS),
    optional("planSafe", TEXTS),
    optional("workspaceSafe", Shape::Flag),
    optional("deferLoading", TEXTS),
    optional("icon", TEXT),
    optional("configSchema", Shape::List(&CONFIG_FIELD)),
    optional("userConfigSchema", Shape::List(&CONFIG_FIELD)),
    optional("userConfigLabel", NAME),
    optional("userGrantable", Shape::Flag),
    optional("capabilities", Shape::Object(CAPABILITIES)),
];

const PROVIDES: &[Field] = &[
    optional("tools", TEXTS),
    optional("readOnlyTools", TEXTS),
    optional("skills", TEXTS),
    optional("platforms", TEXTS),
    optional("destinations", TEXTS),
    optional("httpRoutes", TEXTS),
    optional("apiRoutes", TEXTS),
    optional("wsRoutes", TEXTS),
    optional("mcpTools", TEXTS),
    optional("controls", TEXTS),
];

const CAPABILITIES: &[Field] = &[
    optional(
        "mutates",
        Shape::List(&Shape::Choice(&[
            "prompt",
            "turnContext",
            "tools",
            "memory",
            "events",
            "workflow-dag",
            "users",
        ])),
    ),
    optional("reads", TEXTS),
    optional("network", Shape::Flag),
];

const CONFIG_FIELD: Shape = Shape::Object(&[
    required("key", NAME),
    required("label", NAME),
    required("type", Shape::Choice(&TYPES)),
    optional("hint", TEXT),
    optional("required", Shape::Flag),
    optional("min", Shape::Number),
    optional("max", Shape::Number),
    optional("step", Shape::Number),
    optional("placeholder", TEXT),
    optional("display", Shape::Object(DISPLAY)),
    optional("browse", Shape::Choice(&["directory"])),
    optional("default", Shape::ScalarOrTexts),
    optional("providerType", TEXT),
    optional("options", Shape::List(&Shape::Object(&[required("value", TEXT), required("label", TEXT)]))),
    optional("language", TEXT),
    optional("help", TEXT),
    optional("risk", Shape::Choice(&["low", "medium", "high"])),
    optional("advanced", Shape::Flag),
    optional("fullWidth", Shape::Flag),
    optional("visibleWhen", Shape::Object(&[required("key", TEXT), required("equals", Shape::Scalar)])),
]);

const DISPLAY: &[Field] = &[
    optional("control", Shape::Choice(&["input", "slider"])),
    optional("unit", TEXT),
    optional("divisor", Shape::Number),
];
