use elowen_macros::plugin;
use elowen_sdk::PluginContext;

#[plugin]
async fn register(_: &PluginContext) {
    let shared = std::rc::Rc::new(3);
    std::future::ready(()).await;
    drop(shared);
}

fn main() {}
