//! placeholder
use serde_json::Value;
/// x
#[derive(Debug)]
pub struct SchemaError(String);
impl std::fmt::Display for SchemaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for SchemaError {}
pub(crate) fn parameters<T: schemars::JsonSchema>() -> Result<Value, SchemaError> {
    Ok(schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value())
}
