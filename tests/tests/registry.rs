//! Which tools there are once real plugins are loaded, what their manifests say of them, and who is offered which.
//!
//! The plugins are one library, laid out under several names; each registers what a file beside its manifest says.

#[path = "registry/directories.rs"]
mod directories;
#[path = "registry/place.rs"]
mod place;
#[path = "registry/showing.rs"]
mod showing;
#[path = "registry/tools.rs"]
mod tools;
