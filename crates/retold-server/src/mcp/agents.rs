//! What agents may ask, by the protocol.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::{resources, tools};
use crate::problem::Problem;
use crate::state::App;

const INSTRUCTIONS: &str = "A memory of pages and texts that recognises repeats: the same text, reprints, shortened and extended versions. \
    Before you read or report a text, ask `seen`: it says whether the memory has it already, and which passages are new, so that only these \
    need to be read. `remember` stores a text, if this server may write. All answers are exact comparisons of texts, not of meanings.";

/// An index as agents see it.
#[derive(Clone, Debug)]
pub(super) struct Agents {
    pub(super) app: App,
    pub(super) may_write: bool,
}

impl ServerHandler for Agents {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("retold", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.may_write)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = tokio::select! {
            answer = tools::call(&self.app, self.may_write, &request.name, arguments) => answer?,
            () = context.ct.cancelled() => Err(Problem::busy("the request was cancelled")),
        };
        let result = match answer {
            Ok(answer) => CallToolResult::structured(answer),
            // An error that the model should read.
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem.detail())]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourcesResult, ErrorData> {
        let resources = resources::recent(&self.app).await?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.app, &request.uri).await?;
        Ok(read.into())
    }
}
