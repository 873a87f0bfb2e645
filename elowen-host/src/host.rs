//! The host: what it holds, and how a library's file is read and checked before anything of it runs.

mod builder;
mod load;
mod register;
mod services;

pub use builder::{HostBuilder, HostError};
pub use load::LoadReport;
pub(crate) use services::Services;

use crate::blob::{self, Blob};
use crate::cache::PrivateCopies;
use crate::error::LoadFailure;
use crate::folder;
use crate::library::Trust;
use crate::trust::{self, TrustPolicy};
use serde_json::Value;
use std::{collections::HashMap, fmt, path::Path, time::Duration};

/// Loads plugins.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use elowen_host::{Host, Trust};
///
/// // SAFETY: the folder is ours, and so is every plugin in it.
/// let host = Host::builder(unsafe { Trust::native_code() }).build()?;
/// let plugin = host.load("plugins/hello".as_ref())?;
/// let tool = plugin.tool("MyTool").ok_or("no such tool")?;
/// let answer = pollster::block_on(tool.call(r#"{"value":"hello"}"#))?.parse()?;
/// assert_eq!(answer.to_text(), "hello");
/// # Ok(())
/// # }
/// ```
pub struct Host {
    trust: Trust,
    policy: TrustPolicy,
    copies: PrivateCopies,
    services: Services,
    register_timeout: Duration,
    config: HashMap<String, Value>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// Reads and checks a library file without running it.
///
/// # Errors
/// What is wrong with it.
pub fn inspect(
    file: &Path,
    root: &Path,
    policy: &TrustPolicy,
) -> Result<(trust::VerifiedFile, Blob), LoadFailure> {
    // One and the same folder, whether the file was named by what is on the disk or by how the root is called.
    let real_root = if root.is_absolute() { folder::real(root) } else { root.to_path_buf() };
    let file = file.strip_prefix(root).map_or_else(|_| file.to_path_buf(), |inside| real_root.join(inside));
    let verified = trust::verify(&file, &real_root, policy)?;
    let blob = blob::read(&verified.bytes)?;
    Ok((verified, blob))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn a_file_is_inside_its_root_however_that_is_called() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::create_dir_all(dir.join("todo/deep")).unwrap();
        fs::write(dir.join("todo/lib"), "no library").unwrap();
        let called = dir.join("todo/deep/..");
        let policy = TrustPolicy::default();
        for file in [called.join("lib"), dir.join("todo/lib")] {
            let failure = inspect(&file, &called, &policy).unwrap_err();
            assert!(matches!(failure, LoadFailure::Blob(_)), "{failure}");
        }
        let outside = inspect(&dir.join("lib"), &called, &policy).unwrap_err();
        assert!(matches!(outside, LoadFailure::Trust(trust::TrustError::OutsideRoot { .. })), "{outside}");
    }

    #[test]
    fn a_state_folder_that_cannot_be_is_named_with_its_setting() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Host::builder(Trust::of_the_command_line()).state_dir(&file).build().unwrap_err();
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(
            error
                .to_string()
                .ends_with("Let `HostBuilder::state_dir` name a folder that this user can write to")
        );
    }
}
